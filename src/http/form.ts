import { pipeline } from 'node:stream/promises'
import { Busboy } from '@fastify/busboy'
import { invalid, isDomainError } from '../platform/errors.ts'

/** Fields of a form or a query string. */
export type Fields = Readonly<Record<string, string | string[] | undefined>>

/** Of one multipart form. */
export const MAX_FIELDS = 1000
const CHUNK_BYTES = 64 * 1024

/** The fields of a urlencoded body. */
export function parseUrlEncoded(body: string): Fields {
  const fields = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(body)) addField(fields, name, value)
  return Object.fromEntries(fields)
}

/**
 * The text fields of a small multipart form; operations that take files read the stream themselves. Throws Invalid for
 * what is no such form and for more than MAX_FIELDS fields.
 */
export async function parseMultipart(body: Buffer, contentType: string): Promise<Fields> {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1]
  if (boundary === undefined) throw invalid('[]: multipart form without a boundary')
  if (body.length === 0) return {}
  const fields = new Map<string, string[]>()
  const parser = new Busboy({
    headers: { 'content-type': `multipart/form-data; boundary="${boundary}"` },
    limits: { fields: MAX_FIELDS, fieldSize: body.length },
    isPartAFile: () => false,
  })
  parser.on('field', (name: string | undefined, value) => {
    if (name !== undefined) addField(fields, name, value)
  })
  parser.on('fieldsLimit', () => parser.destroy(invalid(`[]: multipart form with more than ${MAX_FIELDS} fields`)))
  try {
    await pipeline(chunksOf(body), parser)
  } catch (error) {
    throw isDomainError(error) ? error : invalid(`[]: multipart form: ${(error as Error).message}`)
  }
  return Object.fromEntries(fields)
}

/** NOTE: in one piece it would be read to its end before the limit is noticed. */
function* chunksOf(body: Buffer): Generator<Buffer, void, undefined> {
  for (let start = 0; start < body.length; start += CHUNK_BYTES) yield body.subarray(start, start + CHUNK_BYTES)
}

function addField(fields: Map<string, string[]>, name: string, value: string): void {
  const values = fields.get(name)
  if (values === undefined) fields.set(name, [value])
  else values.push(value)
}
