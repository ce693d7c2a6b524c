import { sql, type Kysely } from 'kysely'
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration'
import { BASELINE, contractions, migrationProvider } from '../../../migrations/index.ts'
import { conflict, unavailable } from '../platform/errors.ts'
import { INGOT_VERSION, isOlderRelease } from '../platform/version.ts'
import type { Database, Db } from './database.ts'
import type { SchemaReleaseTable } from './schema-release.table.ts'

/** The releases of Ingot that the schema supports. */
export type SchemaRelease = Pick<SchemaReleaseTable, 'newest' | 'oldest'>

/** Undefined if the table is empty. */
export const findSchemaRelease = (db: Db): Promise<SchemaRelease | undefined> =>
  db.selectFrom('schema_release').select(['oldest', 'newest']).executeTakeFirst()

/** Sets `column` unless it already has this or a newer release. */
async function raiseRelease(db: Db, column: keyof SchemaRelease, release: string): Promise<void> {
  const { [column]: current } = await db.selectFrom('schema_release').select(column).executeTakeFirstOrThrow()
  if (isOlderRelease(current, release))
    await db
      .updateTable('schema_release')
      .set({ [column]: release })
      .execute()
}

/** Throws Unavailable if another node has migrated to a schema that this release cannot run on. */
export async function requireUsableSchema(db: Db): Promise<void> {
  const release = await findSchemaRelease(db)
  if (release !== undefined && isOlderRelease(INGOT_VERSION, release.oldest))
    throw unavailable(`the schema of the database needs Ingot ${release.oldest} or newer`)
}

/** A migration that this release does not have, for tests. */
interface FurtherMigration {
  readonly up: (db: Kysely<unknown>) => Promise<void>
  /** The oldest release that can run after it; undefined if unchanged. */
  readonly oldest?: string
}

interface MigrateOptions {
  /** The release that migrates. */
  readonly release?: string
  readonly further?: Readonly<Record<string, FurtherMigration>>
}

export interface Migrated {
  /** Names of the migrations that were applied. */
  readonly applied: readonly string[]
  /** Migrations that a newer release has applied and this one does not know. */
  readonly newer: readonly string[]
}

/** Another node may migrate between two attempts. */
const MAX_ATTEMPTS = 3

/**
 * Migrates the schema to this release. Safe to call from several processes at once: on PostgreSQL they take an advisory
 * lock. A newer schema stays unchanged if this release can run on it; otherwise throws Conflict.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<Migrated> {
  const { release = INGOT_VERSION } = options
  let newer: readonly string[] = []
  for (let attempt = 1; ; attempt++) {
    const migrator = new Migrator({
      db: database.connections.noTimeout,
      provider: providerOf(database, options, newer),
      allowUnorderedMigrations: true,
    })
    const { error, results = [] } = await migrator.migrateToLatest()
    if (error === undefined) {
      const applied = results.filter((r) => r.status === 'Success').map((r) => r.migrationName)
      if (applied.length > 0) await database.transaction((tx) => raiseRelease(tx, 'newest', release))
      return { applied, newer }
    }
    // NOTE: Kysely checks before it applies anything, so nothing was changed.
    if (!isOfNewerRelease(error) || attempt === MAX_ATTEMPTS) throw error
    newer = await newerMigrations(database, release)
  }
}

/** Name of the newest migration of this release. */
export const newestMigration = async ({ dialect }: Database): Promise<string> =>
  Object.keys(await migrationProvider(dialect.name).getMigrations())
    .toSorted()
    .at(-1)!

/** Names of the migrations that are not applied yet. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const migrator = new Migrator({ db: database.connections.write, provider: migrationProvider(database.dialect.name) })
  const all = await migrator.getMigrations()
  return all.filter((m) => m.executedAt === undefined).map((m) => m.name)
}

/** This release's migrations; those of a newer release are no-ops here. */
function providerOf(database: Database, { further = {} }: MigrateOptions, newer: readonly string[]): MigrationProvider {
  return {
    async getMigrations() {
      const own = await migrationProvider(database.dialect.name).getMigrations()
      const all = Object.entries({ ...own, ...further }).map(([name, { up }]): [string, Migration] => {
        const oldest = further[name]?.oldest ?? contractions[name]
        if (oldest === undefined) return [name, { up }]
        return [name, { up: (db) => contract(db as Kysely<unknown>, { up, oldest, dialect: database.dialect.name }) }]
      })
      const others = newer.map((name): [string, Migration] => [name, { up: async () => {} }])
      return Object.fromEntries([...all, ...others])
    },
  }
}

interface Contraction extends Required<FurtherMigration> {
  readonly dialect: 'postgres' | 'sqlite'
}

/** Raises the oldest usable release in the same transaction as the change. */
async function contract(db: Kysely<unknown>, { up, oldest, dialect }: Contraction): Promise<void> {
  if (dialect === 'postgres') await requireNoOlderNodes(db, oldest)
  await raiseRelease(db as unknown as Db, 'oldest', oldest)
  await up(db)
}

/** Throws Conflict while a node of a release before `oldest` sends heartbeats (docs/operate/scaling.md#nodes). */
async function requireNoOlderNodes(db: Kysely<unknown>, oldest: string): Promise<void> {
  const { rows } = await sql<{ name: string; version: string }>`
    select name, version from node
    where heartbeat_at > (extract(epoch from clock_timestamp()) - 20) * 1000 order by name`.execute(db)
  const older = rows.find(({ version }) => isOlderRelease(version, oldest))
  if (older !== undefined)
    throw conflict(
      `the node ${older.name} runs Ingot ${older.version}, which cannot run on the new schema. Upgrade it to ${oldest} or newer, or stop it, first.`,
    )
}

const isOfNewerRelease = (error: unknown): boolean =>
  error instanceof Error && /previously executed migration \S+ is missing/.test(error.message)

/** Throws Conflict if `release` cannot run on a schema with them. */
async function newerMigrations(database: Database, release: string): Promise<string[]> {
  const { read } = database
  const own = await migrationProvider(database.dialect.name).getMigrations()
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(read)
  const names = rows.map(({ name }) => name)
  const newer = names.filter((name) => !(name in own))
  if (!names.includes(BASELINE))
    throw conflict(
      `the database was made by a development version of Ingot (it has the migration ${newer[0]}), and no release can migrate it. Clone the repositories from that version, and start this one with an empty data_dir and database.`,
    )
  const oldest = (await findSchemaRelease(read))?.oldest
  if (oldest === undefined || isOlderRelease(release, oldest))
    throw conflict(
      `the database was made by a newer version of Ingot (it has the migration ${newer[0]}${oldest ? ` and needs ${oldest} or newer` : ''}). Start that version, or restore a backup from before the upgrade (Backup in README.md).`,
    )
  return newer
}
