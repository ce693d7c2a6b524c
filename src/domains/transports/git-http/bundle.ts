import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OpenBundle } from '../../../core/git/index.ts'
import { etagMatches, parseRange } from '../../../core/platform/http/content.ts'
import { PRIVATE } from './headers.ts'
import { Refusal } from './refusal.ts'

const READ_SIZE = 64 * 1024

/** A bundle, whole or the range that a client lacks after a download that was cut off. Closes the file. */
export async function sendBundle(
  { file, size, modifiedMs, tag }: OpenBundle,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const etag = `"${tag}"`
  const modified = new Date(modifiedMs).toUTCString()
  const { 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers
  reply.headers({
    ...PRIVATE,
    etag,
    'last-modified': modified,
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
  })
  const range =
    ifRange === undefined || ifRange === etag || ifRange === modified
      ? parseRange(request.headers.range, size)
      : undefined
  if (etagMatches(ifNoneMatch, etag) || range === 'bad' || request.method === 'HEAD') {
    await file.close()
    if (etagMatches(ifNoneMatch, etag)) return reply.code(304).send()
    if (range === 'bad')
      throw new Refusal(416, 'the range begins behind the end', { 'content-range': `bytes */${size}` })
    // NOTE: an empty stream, because without a body the length would be made 0.
    return reply.header('content-length', String(size)).type('application/x-git-bundle').send(Readable.from([]))
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${size}`)
  reply.header('content-length', String(end - start + 1)).type('application/x-git-bundle')
  return reply.send(file.createReadStream({ start, end, highWaterMark: READ_SIZE }))
}
