import type { IncomingHttpHeaders } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { Busboy } from '@fastify/busboy'
import { invalid, isDomainError } from '../../platform/errors.ts'
import { FORM_FIELDS } from './limits.ts'

/** Fields of a form or a query string. */
export type Fields = Readonly<Record<string, string | string[] | undefined>>

/**
 * The parser creates a stream for each part, which takes longer than reading it: many parts are read in small pieces.
 */
const FEW_PARTS = 50
const CHUNK_BYTES = { few: 64 * 1024, many: 1024 }
/** RFC 2046, section 5.1.1. */
const BOUNDARY_LENGTH = 70
const PART_HEADERS = 20

/** Whether the content type is a urlencoded form. */
export const isUrlEncoded = (headers: IncomingHttpHeaders): boolean =>
  (headers['content-type'] ?? '').toLowerCase().includes('form-urlencoded')

/** Parses a urlencoded body. Throws Invalid for more than FORM_FIELDS fields, before reading any. */
export function parseUrlEncoded(body: string): Fields {
  if (hasMore(body, '&', FORM_FIELDS - 1)) throw tooMany()
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(body)) addField(fields, name, value)
  return Object.fromEntries(fields)
}

/**
 * Parses the text fields of a small multipart form; operations with files read the stream themselves. Throws Invalid
 * for a malformed form and for more than FORM_FIELDS parts.
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<Fields> {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (boundary === undefined) throw invalid('[]: multipart form without a boundary')
  if (boundary.length > BOUNDARY_LENGTH)
    throw invalid(`[]: multipart form with a boundary of more than ${BOUNDARY_LENGTH} characters`)
  if (body.length === 0) return {}
  const mark = `--${boundary}`
  // NOTE: the end has one more boundary than there are parts.
  if (hasMore(body, mark, FORM_FIELDS + 1)) throw tooMany()
  const chunkBytes = hasMore(body, mark, FEW_PARTS) ? CHUNK_BYTES.many : CHUNK_BYTES.few
  const fields = new Map<string, string[]>()
  const parser = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: { parts: FORM_FIELDS, fieldSize: body.length, headerPairs: PART_HEADERS },
    isPartAFile: () => false,
  })
  parser.on('field', (name: string | undefined, value) => {
    if (name !== undefined) addField(fields, name, value)
  })
  parser.on('partsLimit', () => parser.destroy(tooMany()))
  try {
    await pipeline(chunksOf(body, chunkBytes), parser)
  } catch (error) {
    throw isDomainError(error) ? error : invalid(`[]: multipart form: ${(error as Error).message}`)
  }
  return Object.fromEntries(fields)
}

const tooMany = (): Error => invalid(`[]: form with more than ${FORM_FIELDS} fields`)

function hasMore(text: string | Buffer, mark: string, limit: number): boolean {
  let at = -1
  for (let count = 0; count <= limit; count++) {
    at = text.indexOf(mark, at + 1)
    if (at < 0) return false
  }
  return true
}

/** Other requests run between two chunks, and the parser notices that it was destroyed. */
async function* chunksOf(body: Buffer, bytes: number): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < body.length; start += bytes) {
    if (start > 0) await setImmediate()
    yield body.subarray(start, start + bytes)
  }
}

function addField(fields: Map<string, string[]>, name: string, value: string): void {
  const values = fields.get(name)
  if (values === undefined) fields.set(name, [value])
  else values.push(value)
}
