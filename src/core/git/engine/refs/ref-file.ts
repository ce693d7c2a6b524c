import { type FileHandle, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Confirm } from '../../../platform/concurrency/lock-table.ts'
import { ifMissing } from '../../../platform/files/missing.ts'

interface RefFileMove {
  /** The directory of the repository. */
  readonly path: string
  readonly ref: string
  readonly oid: string
  /** Called while the ref is locked, with the value of its file. Throws if the ref must not move. */
  check(loose: string | undefined): Promise<void>
  /** Called right before the ref moves; if it rejects, it does not. */
  readonly confirm: Confirm | undefined
}

const OID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/

/**
 * Writes one ref as git does: to its lock file, which is synced and renamed. One ref moves atomically wherever this
 * process is killed, so it needs no git process, which would survive. Returns false, with nothing changed, in cases
 * that only git can decide: a lock of another process, a symbolic ref, a directory at the place of the ref.
 */
export async function moveRefFile({ path, ref, oid, check, confirm }: RefFileMove): Promise<boolean> {
  const file = join(path, ref)
  const lock = `${file}.lock`
  const handle = await openLock(lock)
  if (handle === undefined) return false
  try {
    try {
      const text = await readFile(file, 'latin1').catch(ifMissing(undefined))
      if (text !== undefined && !OID.test(text)) throw new Unusual()
      await check(text?.trimEnd())
      await handle.writeFile(`${oid}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await confirm?.()
    await rename(lock, file)
    return true
  } catch (error) {
    await rm(lock, { force: true })
    if (error instanceof Unusual || isDirectory(error)) return false
    throw error
  }
}

class Unusual extends Error {}

const isDirectory = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EISDIR'

/** Undefined if the lock cannot be taken at once. */
async function openLock(lock: string): Promise<FileHandle | undefined> {
  const take = (): Promise<FileHandle> => open(lock, 'wx')
  try {
    return await take().catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      await mkdir(dirname(lock), { recursive: true })
      return await take()
    })
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['EEXIST', 'ENOENT', 'ENOTDIR', 'EISDIR'].includes(code)) return undefined
    throw error
  }
}
