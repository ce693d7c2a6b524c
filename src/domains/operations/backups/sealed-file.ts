import { createHash } from 'node:crypto'
import { conflict } from '../../../core/platform/errors.ts'

/** A small file of a copy: the SHA-256 of the rest, a JSON header in one line, and the body. */
export interface SealedFile<Header> {
  readonly header: Header
  readonly body: Buffer
  /** The SHA-256 at the beginning of the file, by which the next file refers to it. */
  readonly hash: string
}

const HASH_LENGTH = 64

export function seal(header: object, body: Uint8Array = Buffer.alloc(0)): { data: Buffer; hash: string } {
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body])
  const hash = createHash('sha256').update(rest).digest('hex')
  return { data: Buffer.concat([Buffer.from(`${hash} `), rest]), hash }
}

/** Throws Conflict for a file that was modified. */
export function unseal<Header>(name: string, data: Buffer | undefined): SealedFile<Header> {
  if (data === undefined) throw conflict(`${name} is missing`)
  const hash = data.toString('latin1', 0, HASH_LENGTH)
  const rest = data.subarray(HASH_LENGTH + 1)
  if (createHash('sha256').update(rest).digest('hex') !== hash) throw conflict(`${name} is damaged`)
  const end = rest.indexOf('\n')
  return { header: JSON.parse(rest.toString('utf8', 0, end)) as Header, body: rest.subarray(end + 1), hash }
}
