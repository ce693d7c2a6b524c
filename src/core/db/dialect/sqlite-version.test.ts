import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    const mustBeNew = (): void => {
      const now = version()
      expect(seen).not.toContain(now)
      expect(version()).toBe(now)
      seen.add(now)
    }
    for (let n = 0; n < 5; n++) {
      await add()
      mustBeNew()
      other.exec('insert into t default values')
      mustBeNew()
      other.pragma('wal_checkpoint(TRUNCATE)')
    }
    other.close()
    await database.close()
  })
})
