import Sqlite from 'better-sqlite3'

export interface FileLock {
  release(): void
}

/**
 * A lock that the system releases when the process ends, however it ends: an exclusive transaction on an SQLite file
 * without contents. Undefined when another process has it.
 */
export function acquireFileLock(path: string): FileLock | undefined {
  const database = new Sqlite(path, { timeout: 0 })
  try {
    database.exec('begin exclusive')
  } catch (error) {
    database.close()
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  return { release: () => database.close() }
}
