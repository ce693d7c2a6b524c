import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ifMissing } from './missing.ts'

/** Syncs a directory, so that its names survive a power cut; does nothing for a missing directory. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r').catch(ifMissing(undefined))
  if (!handle) return
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes a new file whose bytes are on disk when this returns; its name is durable once the directory is synced. */
export async function writeSynced(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(data)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Renames over the target; after this a crash shows either the old or the new file, never none. */
export async function replaceDurably(from: string, to: string): Promise<void> {
  await rename(from, to)
  await syncDirectory(dirname(to))
}

/**
 * Writes a whole file, which only its owner may read; after a crash it has the old content or the new one. Callers of
 * one path must exclude each other.
 */
export async function writeDurably(path: string, data: string): Promise<void> {
  const fresh = `${path}.new`
  await rm(fresh, { force: true }) // of a process that crashed
  await writeSynced(fresh, data)
  await replaceDurably(fresh, path)
}

/** Creates a hard link to a file, unless the name exists already. */
export async function linkOnce(from: string, to: string, again = true): Promise<boolean> {
  try {
    await link(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    if (code !== 'ENOENT' || !again) throw error
    await mkdir(dirname(to), { recursive: true })
    return linkOnce(from, to, false)
  }
}

export const removeTree = (path: string): Promise<void> => rm(path, { recursive: true, force: true, maxRetries: 3 })
