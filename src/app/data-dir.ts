import { accessSync, constants, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { acquireFileLock, type FileLock } from '../db/dialect/file-lock.ts'
import { conflict } from '../platform/errors.ts'

/**
 * Makes it, with its parents, when it is missing. Throws the system's error, which names the path, when it cannot be
 * written.
 */
export function openDataDir(path: string): string {
  const dataDir = resolve(path)
  mkdirSync(dataDir, { recursive: true })
  accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  return dataDir
}

/** Two servers on one directory would each believe that the other's git locks are left over from a crash. */
export function lockDataDir(dataDir: string): FileLock {
  const lock = acquireFileLock(join(dataDir, 'server.lock'))
  if (lock === undefined)
    throw conflict(`another Ingot process is using ${dataDir}. Stop it first, or set data_dir to another directory.`)
  return lock
}
