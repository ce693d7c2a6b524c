import { accessSync, constants } from 'node:fs'
import { join, resolve } from 'node:path'
import { acquireFileLock, type FileLock } from '../db/dialect/file-lock.ts'
import { conflict } from '../platform/errors.ts'
import { makeDirectory } from '../platform/files/private.ts'

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

/** Two servers on one directory would each take the other's git locks for the remains of a crash. */
export function lockDataDir(dataDir: string): FileLock {
  const lock = acquireFileLock(join(dataDir, 'server.lock'))
  if (lock === undefined)
    throw conflict(`another Ingot process is using ${dataDir}. Stop it first, or set data_dir to another directory.`)
  return lock
}
