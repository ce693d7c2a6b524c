import { accessSync, constants, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { acquireFileLock, type FileLock, shareFileLock } from '../core/db/dialect/file-lock.ts'
import { conflict } from '../core/platform/errors.ts'
import { listLockHolders } from '../core/platform/files/lock-holders.ts'
import { makeDirectory } from '../core/platform/files/private.ts'

/**
 * Makes it for this user alone, with its parents, when it is missing. Throws the system's error, which names the path,
 * when it cannot be written, and Conflict where the file system allows no directories.
 */
export function openDataDir(path: string): string {
  const dataDir = resolve(path)
  makeDirectory(dataDir)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  return dataDir
}

const SERVER_LOCK = 'server.lock'
/** Shared by the workers of a server: they may outlive a supervisor that is killed. */
const WORKERS_LOCK = 'workers.lock'
/** Workers notice at once that their supervisor has ended, unless they are busy. */
const WORKERS_END_MS = 5_000

/**
 * Two servers on one directory would each take the other's git locks for the remains of a crash. Waits up to `waitMs`,
 * without serving signals, for workers whose supervisor was killed. Throws Conflict, which names the processes.
 */
export function lockDataDir(dataDir: string, waitMs = WORKERS_END_MS): FileLock {
  const [path, workersPath] = [join(dataDir, SERVER_LOCK), join(dataDir, WORKERS_LOCK)]
  const lock = acquireFileLock(path)
  if (lock === undefined)
    throw conflict(
      `another Ingot process${named(path)} is using ${dataDir}. Stop it first, or set data_dir to another directory.`,
    )
  if (!existsSync(workersPath)) return lock
  const workers = acquireFileLock(workersPath, waitMs)
  if (workers !== undefined) {
    workers.release()
    return lock
  }
  const left = named(workersPath)
  lock.release()
  throw conflict(
    `workers of a server that was killed still run${left} and use ${dataDir}. They end by themselves when they are not busy: wait, or kill them.`,
  )
}

/** For a worker of the server that has locked the directory, until it ends. */
export function shareDataDir(dataDir: string): FileLock {
  const lock = shareFileLock(join(dataDir, WORKERS_LOCK))
  if (lock === undefined) throw conflict(`another server is about to use ${dataDir}`)
  return lock
}

function named(path: string): string {
  const pids = listLockHolders(path)
  return pids.length === 0 ? '' : ` (process ${pids.join(', ')})`
}
