import type { Config } from '../config/index.ts'
import { type Database, dialectFor, openDatabase } from '../db/database.ts'
import { migrate, pendingMigrations } from '../db/migrate.ts'
import { openDataDir } from './data-dir.ts'

/** Names of the migrations that were applied. */
export const migrateStandalone = (config: Config): Promise<string[]> => withDatabase(config, migrate)

/** Names of the migrations that the database lacks. */
export const pendingStandalone = (config: Config): Promise<string[]> => withDatabase(config, pendingMigrations)

async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const database = openDatabase(dialectFor(config.database, openDataDir(config.data_dir)))
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
