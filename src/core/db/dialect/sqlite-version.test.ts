import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextEvent } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../database.ts'
import { sqliteDialect } from './sqlite.ts'

describe('the version of an SQLite file', () => {
  let dir: string
  let file: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-commits-'))
    file = join(dir, 'test.db')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('changes with each commit of this and of another connection, also when the log restarts', async () => {
    const database = openDatabase(sqliteDialect(file))
    const other = new Sqlite(file)
    const add = () => database.transaction(async (tx) => void (await sql`insert into t default values`.execute(tx)))
    other.exec('create table t (id integer primary key)')
    const version = database.connections.version!
    const seen = new Set([version()])
    const mustBeNew = async (): Promise<void> => {
      await nextEvent()
      const now = version()
      expect(seen).not.toContain(now)
      expect(version()).toBe(now)
      seen.add(now)
    }
    for (let n = 0; n < 5; n++) {
      await add()
      await mustBeNew()
      other.exec('insert into t default values')
      await mustBeNew()
      await nextEvent()
      other.pragma('wal_checkpoint(TRUNCATE)')
    }
    other.close()
    await database.close()
  })

  it('belongs to the rows: both stay the same until the next event or a commit of this process', async () => {
    const database = openDatabase(sqliteDialect(file))
    const other = new Sqlite(file)
    other.exec('create table t (id integer primary key)')
    const count = async () => (await sql<{ n: number }>`select count(*) as n from t`.execute(database.read)).rows[0]!.n
    const version = database.connections.version!
    await nextEvent()
    const before = version()
    other.exec('insert into t default values')
    expect([await count(), version()]).toEqual([0, before])
    await nextEvent()
    expect(version()).not.toBe(before)
    expect(await count()).toBe(1)
    await sql`insert into t default values`.execute(database.connections.write)
    expect(await count()).toBe(2)
    await database.transaction(async (tx) => {
      await sql`insert into t default values`.execute(tx)
      expect(await count()).toBe(2)
    })
    expect(await count()).toBe(3)
    expect(await database.dialect.copyTo(database.connections, join(dir, 'copy.db'))).toBe(true)
    other.close()
    await database.close()
  })
})
