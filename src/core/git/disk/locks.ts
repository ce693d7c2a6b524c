import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { randomHex } from '../../platform/crypto/crypto.ts'

/** A git lock is held for milliseconds. One this old has lost its owner: a process that was killed. */
const STALE_AFTER_MS = 10_000

/**
 * Removes a lock file whose owner must be dead: it is older than this server's start, when no child of ours lived, or
 * far older than any transaction takes. `startedAt` and the file's time are both wall-clock milliseconds. Call it under
 * the lock of the repository that its owner must have had.
 */
export function clearStaleLock(lock: string, startedAt: number): boolean {
  const stat = statSync(lock, { throwIfNoEntry: false })
  if (!stat) return false
  if (stat.mtimeMs >= startedAt - 100 && fileClock(dirname(lock)) - stat.mtimeMs < STALE_AFTER_MS) return false
  rmSync(lock, { force: true })
  return true
}

/** Milliseconds as the file system counts them: with the clock of another machine, perhaps in whole seconds. */
function fileClock(directory: string): number {
  // NOTE: git and RefReader take no file with this ending for a ref.
  const probe = join(directory, `clock-${randomHex(8)}.lock`)
  try {
    closeSync(openSync(probe, 'wx'))
    return statSync(probe).mtimeMs
  } catch {
    return performance.timeOrigin + performance.now() // a full disk
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Stale locks anywhere in the repository where git leaves them; for maintenance. */
export function clearAllStaleLocks(path: string, startedAt: number): number {
  let cleared = 0
  for (const folder of ['.', 'objects/info', 'objects/info/commit-graphs', 'objects/pack']) {
    for (const name of namesIn(join(path, folder))) {
      if (name.endsWith('.lock') && clearStaleLock(join(path, folder, name), startedAt)) cleared++
    }
  }
  const open = ['refs']
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const name of namesIn(join(path, folder))) {
      const child = `${folder}/${name}`
      if (name.endsWith('.lock')) cleared += clearStaleLock(join(path, child), startedAt) ? 1 : 0
      else if (statSync(join(path, child), { throwIfNoEntry: false })?.isDirectory()) open.push(child)
    }
  }
  return cleared
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
