import { constants } from 'node:fs'
import { copyFile, mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface CopyRules {
  /** Paths below the root, with slashes, that are omitted with everything under them. */
  skip?(path: string): boolean
  /** Files that never change once they have their name: not copied again when the copy has the same size. */
  isImmutable?(path: string): boolean
}

/** Bytes and files that were written. */
export interface Copied {
  readonly files: number
  readonly bytes: number
}

/**
 * Copies a directory that others write to: files that are deleted during the copy are skipped, symbolic links are not
 * followed. Shares blocks where the file system can.
 */
export async function copyTree(from: string, to: string, rules: CopyRules = {}, below = ''): Promise<Copied> {
  let files = 0
  let bytes = 0
  await mkdir(join(to, below), { recursive: true })
  for (const entry of await readdir(join(from, below), { withFileTypes: true }).catch(ifMissing([]))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`
    if (rules.skip?.(path)) continue
    if (entry.isDirectory()) {
      const inner = await copyTree(from, to, rules, path)
      files += inner.files
      bytes += inner.bytes
    } else if (entry.isFile()) {
      const size = await copyOne(join(from, path), join(to, path), rules.isImmutable?.(path) ?? false)
      if (size === undefined) continue
      files++
      bytes += size
    }
  }
  return { files, bytes }
}

async function copyOne(from: string, to: string, isImmutable: boolean): Promise<number | undefined> {
  const source = await stat(from).catch(ifMissing(undefined))
  if (source === undefined) return undefined
  if (isImmutable && (await stat(to).catch(ifMissing(undefined)))?.size === source.size) return undefined
  const done = await copyFile(from, to, constants.COPYFILE_FICLONE).then(() => true, ifMissing(false))
  return done ? source.size : undefined
}

const ifMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value
    throw error
  }
