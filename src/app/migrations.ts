import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Config } from '../config/index.ts'
import { type Database, dialectFor, openDatabase } from '../db/database.ts'
import { migrate, pendingMigrations } from '../db/migrate.ts'

/** Names of the migrations that were applied. */
export const migrateStandalone = (config: Config): Promise<string[]> => withDatabase(config, migrate)

/** Names of the migrations that the database lacks. */
export const pendingStandalone = (config: Config): Promise<string[]> => withDatabase(config, pendingMigrations)

async function withDatabase<T>(config: Config, work: (database: Database) => Promise<T>): Promise<T> {
  const dataDir = resolve(config.data_dir)
  mkdirSync(dataDir, { recursive: true })
  const database = openDatabase(dialectFor(config.database, dataDir))
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}
