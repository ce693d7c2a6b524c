import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { BASELINE, migrationProvider } from '../../migrations/index.ts'
import type { Database } from '../../src/core/db/database.ts'
import { migrate, findSchemaRelease, requireUsableSchema } from '../../src/core/db/migrate.ts'
import { INGOT_VERSION, isOlderRelease } from '../../src/core/platform/version.ts'
import { describeOnBoth, freshDatabase, makeEmpty } from '../harness/databases.ts'

const NEXT = '99.1.0'
/** That sends heartbeats. */
const insertNode = async (database: Database): Promise<void> => {
  const heartbeat_at = await database.dialect.now(database.connections)
  const self = { instance: 'one 1', name: 'one', host: 'h', pid: 1, version: INGOT_VERSION, schema: '', address: '' }
  const row = { ...self, workers: 1, started_at: 0, heartbeat_at, clock_offset: 0, sender_pid: 1 }
  await database.transaction((tx) => tx.insertInto('node').values(row).execute())
}

const nothing = async (): Promise<void> => {}

describeOnBoth('several releases on one database', (kind) => {
  it('run side by side while migrations only add, and not after one that deletes', async () => {
    const { database, close } = await freshDatabase(kind)
    const adding = { '9998-adds': { up: nothing } }
    const deleting = { ...adding, '9999-deletes': { up: nothing, oldest: NEXT } }
    try {
      expect(await migrate(database, { release: NEXT, further: adding })).toEqual({
        applied: ['9998-adds'],
        newer: [],
      })
      expect(await findSchemaRelease(database.read)).toEqual({ oldest: INGOT_VERSION, newest: NEXT })
      expect(await migrate(database)).toEqual({ applied: [], newer: ['9998-adds'] })
      await requireUsableSchema(database.read)

      if (kind === 'postgres') {
        await insertNode(database)
        const refused = migrate(database, { release: NEXT, further: deleting })
        await expect(refused).rejects.toThrow(`the node one runs Ingot ${INGOT_VERSION}, which cannot run`)
        await database.transaction((tx) => tx.deleteFrom('node').execute())
      }
      await migrate(database, { release: NEXT, further: deleting })
      expect(await findSchemaRelease(database.read)).toEqual({ oldest: NEXT, newest: NEXT })
      await expect(migrate(database)).rejects.toThrow(/newer version of Ingot .*9998-adds and needs 99\.1\.0 or newer/)
      await expect(requireUsableSchema(database.read)).rejects.toThrow('needs Ingot 99.1.0')
      expect(await migrate(database, { release: NEXT, further: deleting })).toEqual({ applied: [], newer: [] })
    } finally {
      await close()
    }
  })

  it('apply a migration whole or not at all', async () => {
    const { database, close } = await freshDatabase(kind)
    const create = (db: Kysely<unknown>) => sql`create table added (id bigint)`.execute(db)
    const adds = (then: () => Promise<void>) => ({
      '9998-adds': {
        up: async (db: Kysely<unknown>): Promise<void> => {
          await create(db)
          await then()
        },
      },
    })
    try {
      const fails = adds(() => Promise.reject(new Error('no more')))
      await expect(migrate(database, { further: fails })).rejects.toThrow('no more')
      expect((await migrate(database, { further: adds(nothing) })).applied).toEqual(['9998-adds'])
    } finally {
      await close()
    }
  })

  it('refuse a database of a development version', async () => {
    const { database, close } = await freshDatabase(kind)
    try {
      await sql`update kysely_migration set name = '0001-users' where name = ${BASELINE}`.execute(
        database.connections.write,
      )
      await expect(migrate(database)).rejects.toThrow(/made by a development version .*0001-users/)
    } finally {
      await close()
    }
  })

  // Two processes of one data directory exclude each other, so that SQLite is migrated by one at a time.
  if (kind === 'postgres')
    it('migrate an empty database once when they start at once', async () => {
      const empty = await makeEmpty(kind)
      const nodes = Array.from({ length: 3 }, () => empty.open())
      try {
        const migrated = await Promise.all(nodes.map((node) => migrate(node)))
        const names = Object.keys(await migrationProvider(kind).getMigrations())
        expect(migrated.flatMap(({ applied }) => applied).toSorted()).toEqual(names.toSorted())
      } finally {
        for (const node of nodes) await node.close()
        await empty.drop()
      }
    }, 30_000)
})

it('compares versions by their numbers', () => {
  expect(['26.9.0', '26.10.5', '26.11', '25.12.1'].map((older) => isOlderRelease(older, '26.11.0'))).toEqual([
    true,
    true,
    false,
    true,
  ])
  expect(['26.11.0', '26.11.1', '27.0.0'].map((newer) => isOlderRelease(newer, '26.11.0'))).toEqual([
    false,
    false,
    false,
  ])
})
