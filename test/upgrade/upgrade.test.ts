import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrationProvider } from '../../migrations/index.ts'
import type { Database } from '../../src/core/db/database.ts'
import { migrate } from '../../src/core/db/migrate.ts'
import { describeOnBoth, type EmptyDatabase, makeEmpty } from '../harness/databases.ts'
import {
  type ColumnFacts,
  previousRelease,
  previousSchema,
  previousStatements,
  schemaBreaks,
  type SchemaFacts,
  schemaFacts,
  unusableOnPostgres,
  unusableOnSqlite,
} from '../harness/schema-breaks.ts'
import { describeSchema } from '../harness/schema-text.ts'

/**
 * What the release before may lose, in the words of `schemaBreaks`, with the migration that is in `contractions`: the
 * release before must not use it any more.
 */
const LOST: readonly string[] = []

describeOnBoth('a database of the release before', (kind) => {
  let empty: EmptyDatabase
  let database: Database
  let before: SchemaFacts
  /** Recorded on SQLite: PostgreSQL has other words for some. */
  let usable: readonly string[]
  const unusable = (statements: readonly string[]): Promise<string[]> | string[] =>
    kind === 'sqlite' ? unusableOnSqlite(empty.address, statements) : unusableOnPostgres(empty.address, statements)

  beforeAll(async () => {
    empty = await makeEmpty(kind)
    database = empty.open()
    const { migrations } = previousRelease()
    const all = await migrationProvider(kind).getMigrations()
    const provider = { getMigrations: async () => Object.fromEntries(migrations.map((name) => [name, all[name]!])) }
    const db = database.connections.noTimeout
    const { error } = await new Migrator({ db, provider, allowUnorderedMigrations: true }).migrateToLatest()
    if (error !== undefined) throw error
    before = await schemaFacts(database.read, kind)
    const statements = previousStatements()
    const failed = new Set(await unusable(statements))
    usable = statements.filter((statement) => !failed.has(statement))
    expect(usable.length / statements.length).toBeGreaterThan(kind === 'sqlite' ? 0.9999 : 0.99)
  }, 60_000)
  afterAll(async () => {
    await database.close()
    await empty.drop()
  })

  it('has the schema that was committed with it: no released migration was edited', async () => {
    expect(await describeSchema(database.read, kind)).toBe(previousSchema(kind))
  })

  it('is migrated to one that the release before runs on too', async () => {
    const { write } = database.connections
    await sql`insert into job (kind, key, payload, run_at, created_at) values ('merges.settle', 'a', '{}', 1, 1)`.execute(
      write,
    )
    await migrate(database)
    const { rows } = await sql`select kind, key from job`.execute(database.read)
    expect(rows).toEqual([{ kind: 'merges.recover', key: 'a' }])
    expect(await describeSchema(database.read, kind)).not.toContain(' collate ')
    expect(schemaBreaks(before, await schemaFacts(database.read, kind))).toEqual(LOST)
    expect(await unusable(usable)).toEqual([])
  })

  it('would show a migration after which the release before fails', async () => {
    const { write } = database.connections
    await sql`alter table label drop column description`.execute(write)
    await sql`alter table topic rename to word`.execute(write)
    await sql`create unique index milestone_title_key on milestone (title)`.execute(write)
    if (kind === 'postgres')
      await sql`alter table milestone add constraint milestone_title_check check (title <> '')`.execute(write)
    expect(schemaBreaks(before, await schemaFacts(database.read, kind))).toEqual([
      'topic was deleted',
      'label.description was deleted',
      'milestone_title_key of milestone is new and unique',
      ...(kind === 'postgres' ? ['milestone_title_check of milestone is a new constraint'] : []),
    ])
    const failed = await unusable(usable)
    expect(failed.some((statement) => statement.startsWith('insert into "label"'))).toBe(true)
    expect(failed.some((statement) => statement.includes('"topic"'))).toBe(true)
    expect(failed.length).toBeLessThan(usable.length / 10)
  })
})

describe('what a release relies on', () => {
  const column = (name: string, facts: Partial<ColumnFacts> = {}): ColumnFacts => ({
    table: 't',
    column: name,
    type: 'text',
    required: false,
    filled: false,
    ...facts,
  })
  const schema = (columns: ColumnFacts[], ...unique: string[]): SchemaFacts => ({
    columns,
    unique: unique.map((index) => ({ table: 't', index })),
    constraints: [],
  })
  const old = schema([column('a'), column('b', { required: true, filled: true })], 'a_key')

  it.each<[string[], ColumnFacts[], string[]]>([
    [[], [column('a'), column('b', { required: true, filled: true }), column('c')], ['a_key']],
    [[], [...old.columns, column('c', { required: true, filled: true })], ['a_key']],
    [[], [...old.columns, column('c', { table: 'new', required: true })], ['a_key']],
    [['t was deleted'], [column('a', { table: 'new' })], []],
    [['t.b was deleted'], [column('a')], ['a_key']],
    [['t.a was text and is bigint'], [column('a', { type: 'bigint' }), old.columns[1]!], ['a_key']],
    [['t.a may not be null any more'], [column('a', { required: true }), old.columns[1]!], ['a_key']],
    [['t.b has no default any more'], [column('a'), column('b', { required: true })], ['a_key']],
    [['t.c is new, not null and has no default'], [...old.columns, column('c', { required: true })], ['a_key']],
    [['a_key of t was unique'], [...old.columns], []],
    [['b_key of t is new and unique'], [...old.columns], ['a_key', 'b_key']],
  ])('%j', (expected, columns, unique) => {
    expect(schemaBreaks(old, schema(columns, ...unique))).toEqual(expected)
  })

  it('is broken by a constraint on what it writes, not by one on a new column', () => {
    const constraint = (name: string, ...columns: string[]) => ({ table: 't', name, columns })
    const constraints = [constraint('a_check', 'a'), constraint('c_fkey', 'c')]
    const now = { ...old, columns: [...old.columns, column('c')], constraints }
    expect(schemaBreaks(old, now)).toEqual(['a_check of t is a new constraint'])
  })
})
