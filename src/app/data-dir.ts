import { accessSync, constants, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { acquireFileLock, type FileLock, shareFileLock } from '../core/db/dialect/file-lock.ts'
import { conflict } from '../core/platform/errors.ts'
import { listLockHolders } from '../core/platform/files/lock-holders.ts'
import { makeDirectory } from '../core/platform/files/private.ts'

/**
 * Creates the data directory, with its parents, for this user only. Throws the system error, which names the path, if
 * it cannot be written, and Conflict if the file system allows no directories.
 */
export function openDataDir(path: string): string {
  const dataDir = resolve(path)
  makeDirectory(dataDir)
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  return dataDir
}

const SERVER_LOCK = 'server.lock'
/** Held in shared mode by the workers of a server, which may outlive a killed supervisor. */
const WORKERS_LOCK = 'workers.lock'
/** Idle workers notice at once that their supervisor has exited. */
const WORKERS_END_MS = 5_000

/**
 * Locks the directory: two servers would each take the other's git locks for the remains of a crash. Waits up to
 * `waitMs`, without handling signals, for workers of a killed supervisor. Throws Conflict, which names the processes.
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
  const pids = named(workersPath)
  lock.release()
  throw conflict(
    `workers of a killed server still run${pids} and use ${dataDir}. They exit when they are idle: wait, or kill them.`,
  )
}

/** Locks the directory for a worker until it exits; its supervisor holds the exclusive lock. */
export function shareDataDir(dataDir: string): FileLock {
  const lock = shareFileLock(join(dataDir, WORKERS_LOCK))
  if (lock === undefined) throw conflict(`another server is starting on ${dataDir}`)
  return lock
}

function named(path: string): string {
  const pids = listLockHolders(path)
  return pids.length === 0 ? '' : ` (process ${pids.join(', ')})`
}
