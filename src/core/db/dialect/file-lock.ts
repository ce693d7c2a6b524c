import Sqlite from 'better-sqlite3'

export interface FileLock {
  release(): void
}

/**
 * A lock that the system releases when the process ends, however it ends: an exclusive transaction on an empty SQLite
 * file. Undefined if another process holds it for all of `waitMs`, during which this process blocks.
 */
export const acquireFileLock = (path: string, waitMs = 0): FileLock | undefined =>
  lock(path, waitMs, (database) => database.exec('begin exclusive'))

/** A shared lock that any number of processes may hold while none holds the exclusive one. */
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
