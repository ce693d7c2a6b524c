import type { Config } from '../core/config/index.ts'
import { type Database, dialectFor, openDatabase } from '../core/db/database.ts'
import { migrate, pendingMigrations, findSchemaRelease } from '../core/db/migrate.ts'
import { INGOT_VERSION, isOlderRelease } from '../core/platform/version.ts'
import type { DoctorCheck } from '../core/module.ts'
import { openDataDir } from './data-dir.ts'
import { keepsLog } from './storage.ts'

/** Applies pending migrations and returns their names. */
export const migrateStandalone = (config: Config): Promise<readonly string[]> =>
  withDatabase(config, async (database) => (await migrate(database)).applied)

/** Returns the names of pending migrations. */
export const pendingStandalone = (config: Config): Promise<string[]> => withDatabase(config, pendingMigrations)

async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(
    dialectFor(config.database, openDataDir(config.data_dir), { keepLog: keepsLog(config) }),
  )
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

/** Notes that a newer release has migrated the database. */
export const schemaCheck = (database: Database): DoctorCheck => ({
  name: 'database',
  async *run() {
    const newest = (await findSchemaRelease(database.read))?.newest
    if (newest !== undefined && isOlderRelease(INGOT_VERSION, newest))
      yield {
        what: `Ingot ${newest} has migrated the schema; version ${INGOT_VERSION} can still run on it`,
        state: 'note',
      }
  },
})
