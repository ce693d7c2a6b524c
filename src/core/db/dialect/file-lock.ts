import Sqlite from 'better-sqlite3'

export interface FileLock {
  release(): void
}

/**
 * A lock that the system releases when the process ends, however it ends: an exclusive transaction on an SQLite file
 * without contents. Undefined when another process has it, and keeps it for `waitMs`, which blocks this process.
 */
export const acquireFileLock = (path: string, waitMs = 0): FileLock | undefined =>
  lock(path, waitMs, (database) => database.exec('begin exclusive'))

/** A lock that any number of processes may have at once, and while none has acquired the file. */
export const shareFileLock = (path: string): FileLock | undefined =>
  lock(path, 0, (database) => database.exec('begin').prepare('select 1 from sqlite_master').all())

function lock(path: string, timeout: number, begin: (database: Sqlite.Database) => unknown): FileLock | undefined {
  const database = new Sqlite(path, { timeout })
  try {
    begin(database)
  } catch (error) {
    database.close()
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  return { release: () => database.close() }
}
