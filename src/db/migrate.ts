import { Migrator } from 'kysely/migration'
import { migrationProvider } from '../../migrations/index.ts'
import { conflict } from '../platform/errors.ts'
import type { Database } from './database.ts'

/**
 * Brings the schema up to date; gives the names of the migrations it applied. Safe to call from several processes at
 * once.
 */
export async function migrate(database: Database): Promise<string[]> {
  const migrator = new Migrator({
    db: database.connections.noTimeout,
    provider: migrationProvider(database.dialect.name),
    allowUnorderedMigrations: true,
  })
  const { error, results = [] } = await migrator.migrateToLatest()
  if (error !== undefined) throw newerSchema(error) ?? error
  return results.filter((r) => r.status === 'Success').map((r) => r.migrationName)
}

/** As migrate; closes the database when that fails. */
export async function migrateOrClose(database: Database): Promise<void> {
  try {
    await migrate(database)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** NOTE: Kysely looks before it applies anything, so that nothing was changed. */
function newerSchema(error: unknown): Error | undefined {
  const name = /previously executed migration (\S+) is missing/.exec((error as Error).message)?.[1]
  if (name === undefined) return undefined
  return conflict(
    `the database was made by a newer version of Ingot (it has the migration ${name}). Start that version, or restore a backup from before the upgrade (Backup in README.md).`,
  )
}

/** Names of the migrations that are not applied yet. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const migrator = new Migrator({ db: database.connections.write, provider: migrationProvider(database.dialect.name) })
  const all = await migrator.getMigrations()
  return all.filter((m) => m.executedAt === undefined).map((m) => m.name)
}
