import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest } from '../../../../core/platform/errors.ts'
import type { Upload } from '../artifacts/uploads/upload.store.ts'
import { MAX_BLOCKS, type Uploads } from '../artifacts/uploads/uploads.service.ts'
import { readBytes } from './results-answer.routes.ts'
import { queryOf } from './results-request.routes.ts'

const MAX_LIST_BYTES = 2 * 1024 * 1024
const MAX_BLOCK_ID = 128

/**
 * Takes one request of an upload in the style of Azure block blobs: a block, the next bytes, the list of the blocks, or
 * without `comp` the whole file.
 */
export async function receivePart(
  uploads: Uploads,
  upload: Upload,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const query = queryOf(request)
  const comp = query.get('comp')
  if (comp === 'blocklist') {
    await uploads.list(upload, readBlockList((await readBytes(request, MAX_LIST_BYTES)).toString()))
    return acknowledge(reply, 'created')
  }
  const length = request.headers['content-length']
  const sent = { source: request.raw, size: length === undefined ? undefined : Number(length) }
  if (comp === 'block') {
    const name = query.get('blockid') ?? ''
    if (name === '' || name.length > MAX_BLOCK_ID) throw badRequest(`[blockid]: 1 to ${MAX_BLOCK_ID} characters`)
    await uploads.put(upload, { ...sent, name, position: 0 })
  } else if (comp === 'appendBlock') await uploads.put(upload, { ...sent, name: '', position: 'end' })
  else if (comp === null) await uploads.put(upload, { ...sent, name: '', position: 0, isWhole: true })
  else throw badRequest('[comp]: block, appendBlock or blocklist')
  acknowledge(reply, 'appended')
}

function acknowledge(reply: FastifyReply, word: string): void {
  void reply.code(201).header('x-content-type-options', 'nosniff').type('application/json').send(`"${word}"`)
}

/** The names in the XML body of a block list. NOTE: linear; names of blocks are base64 and contain no entities. */
function readBlockList(xml: string): string[] {
  if (!xml.includes('<BlockList')) throw badRequest('the body is not a block list')
  const names = [...xml.matchAll(/<(?:Latest|Uncommitted|Committed)>([^<]*)</g)].map(([, name]) => name!.trim())
  if (names.length > MAX_BLOCKS) throw badRequest(`a list has at most ${MAX_BLOCKS} blocks`)
  return names
}
