import type { LfsObject } from '../lfs.store.ts'

const OID = /^[0-9a-f]{64}$/

export const isLfsOid = (text: string): boolean => OID.test(text)

interface ObjectFacts {
  /** The stored object of the repository with this id. */
  readonly stored?: LfsObject | undefined
  /** The maximum size of uploads in bytes; 0 for no limit. */
  readonly maxFileSize?: number
}

/** The reason to refuse an object that a client names; undefined if it is valid. */
export function faultOfObject({ oid, size }: LfsObject, { stored, maxFileSize = 0 }: ObjectFacts): string | undefined {
  if (!isLfsOid(oid) || !Number.isSafeInteger(size) || size < 0) return 'Oid or size are invalid'
  if (stored !== undefined && stored.size !== size) return `Object ${oid} is not ${size} bytes`
  if (stored === undefined && maxFileSize > 0 && size > maxFileSize)
    return `Size must be less than or equal to ${maxFileSize}`
  return undefined
}
