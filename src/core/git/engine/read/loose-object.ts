import { readFile } from 'node:fs/promises'
import { inflate, inflateSync } from 'node:zlib'
import { promisify } from 'node:util'
import { join } from 'node:path'
import type { Found } from './cat-file.ts'
import type { ObjectType } from '../object/format.ts'

const inflateAsync = promisify(inflate)
const MAX_COMPRESSED = 256 * 1024
const MAX_CONTENT = 1024 * 1024
/** Up to this size, handing the bytes to a thread costs more than inflating them. */
const SMALL = 4096

/** The path of a loose object. */
export const loosePath = (objects: string, oid: string): string => join(objects, oid.slice(0, 2), oid.slice(2))

/**
 * Reads a small loose object without a process: most repositories are young and small, and are read before maintenance
 * first packs them. Undefined for objects that are packed, borrowed, large or unusual; git reads those.
 */
export async function readLoose(objects: string, oid: string): Promise<Found | undefined> {
  try {
    const file = await readFile(loosePath(objects, oid))
    if (file.length > MAX_COMPRESSED) return undefined
    const options = { maxOutputLength: MAX_CONTENT }
    const data = file.length <= SMALL ? inflateSync(file, options) : await inflateAsync(file, options)
    const nul = data.indexOf(0)
    const match = /^(commit|tree|blob|tag) (\d+)$/.exec(data.toString('latin1', 0, nul))
    if (!match || Number(match[2]) !== data.length - nul - 1) return undefined
    return { oid, type: match[1] as ObjectType, size: Number(match[2]), content: data.subarray(nul + 1) }
  } catch {
    return undefined
  }
}
