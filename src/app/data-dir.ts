import { join } from 'node:path'
import { acquireFileLock, type FileLock } from '../db/dialect/file-lock.ts'
import { conflict } from '../platform/errors.ts'

/** Two servers on one directory would each believe that the other's git locks are left over from a crash. */
export function lockDataDir(dataDir: string): FileLock {
  const lock = acquireFileLock(join(dataDir, 'server.lock'))
  if (lock === undefined) throw conflict(`another Ingot process is using ${dataDir}. Stop it first, or set data_dir to another directory.`)
  return lock
}
