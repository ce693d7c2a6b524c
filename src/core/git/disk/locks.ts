import { closeSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { randomHex } from '../../platform/crypto/crypto.ts'

/** Git holds a lock for milliseconds. The owner of an older one must have been killed. */
const STALE_AFTER_MS = 10_000

/**
 * Removes a lock file whose owner must be dead: it is older than this server's start (when none of its children
 * existed), or far older than any transaction. `startedAt` and the file's time are wall-clock milliseconds. Call it
 * while holding the repository lock that the owner must have held.
 */
export function clearStaleLock(lock: string, startedAt: number): boolean {
  const stat = statSync(lock, { throwIfNoEntry: false })
  if (!stat) return false
  if (stat.mtimeMs >= startedAt - 100 && fileClock(dirname(lock)) - stat.mtimeMs < STALE_AFTER_MS) return false
  rmSync(lock, { force: true })
  return true
}

/**
 * The current time in milliseconds by the clock of the file system, which may be another machine's and in whole
 * seconds.
 */
function fileClock(directory: string): number {
  // NOTE: git and RefReader do not read files with this suffix as refs.
  const probe = join(directory, `clock-${randomHex(8)}.lock`)
  try {
    closeSync(openSync(probe, 'wx'))
    return statSync(probe).mtimeMs
  } catch {
    return performance.timeOrigin + performance.now() // the disk is full
  } finally {
    rmSync(probe, { force: true })
  }
}

/** Clears stale locks wherever git leaves them in the repository; for maintenance. */
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
