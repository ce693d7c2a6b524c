import { createHash } from 'node:crypto'

export type ObjectFormat = 'sha1' | 'sha256'
export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

/** Number of hex digits of an id. */
export const oidLength = (format: ObjectFormat): number => (format === 'sha1' ? 40 : 64)

/** The id that means "no object" in pushes and ref updates. */
export const zeroOid = (format: ObjectFormat): string => '0'.repeat(oidLength(format))

export const isZeroOid = (oid: string): boolean => /^0+$/.test(oid)

const FULL = { sha1: /^[0-9a-f]{40}$/, sha256: /^[0-9a-f]{64}$/ } as const

/** True for a full-length lowercase hex id of the format. */
export const isOid = (text: string, format: ObjectFormat): boolean => FULL[format].test(text)

export const emptyTreeOid = (format: ObjectFormat): string => hashObject(format, 'tree', Buffer.alloc(0))

/** The header, which is hashed and stored in front of the content. */
export function objectHeader(type: ObjectType, size: number): Buffer {
  return Buffer.from(`${type} ${size}\0`, 'latin1')
}

export function hashObject(format: ObjectFormat, type: ObjectType, content: Uint8Array): string {
  return createHash(format).update(objectHeader(type, content.length)).update(content).digest('hex')
}
