import { mkdtempSync, openSync, closeSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDatabase } from '../database.ts'
import { SqliteCommits } from './sqlite-commits.ts'
import { sqliteDialect } from './sqlite.ts'

/** A file whose header and `data_version` are set by hand. */
function fakeFile() {
  const file = { dataVersion: 1, header: Buffer.alloc(100) as Buffer | undefined, asked: 0 }
  const commits = new SqliteCommits({
    dataVersion: () => (file.asked++, file.dataVersion),
    indexHeader: () => file.header,
  })
  const commit = (): void => {
    file.dataVersion++
    file.header?.writeUInt32LE(file.dataVersion, 8)
  }
  return { file, commits, commit }
}

describe('the version of a file', () => {
  it('is read from the header alone once a commit has shown there', () => {
    const { file, commits, commit } = fakeFile()
    const versions = [commits.version(), commits.version()]
    commit()
    versions.push(commits.version())
    const { asked } = file
    versions.push(commits.version())
    commit()
    versions.push(commits.version(), commits.version())
    expect(file.asked).toBe(asked)
    const [first, same, second, secondAgain, third, thirdAgain] = versions as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    expect([same, secondAgain, thirdAgain]).toEqual([first, second, third])
    expect(first).toBeLessThan(second)
    expect(second).toBeLessThan(third)
  })

  it('is that of data_version for ever where the header does not show a commit', () => {
    const { file, commits } = fakeFile()
    commits.version()
    commits.version()
    file.dataVersion++
    commits.version()
    // What comes late is no proof either.
    file.header!.writeUInt32LE(7, 8)
    for (const wanted of ['same', 'new', 'same'] as const) {
      const before = commits.version()
      if (wanted === 'new') file.dataVersion++
      const { asked } = file
      expect(commits.version() === before).toBe(wanted === 'same')
      expect(file.asked).toBe(asked + 1)
    }
  })

  it('equals nothing while a commit changes the header', () => {
    const { file, commits, commit } = fakeFile()
    commits.version()
    commits.version()
    commit()
    const before = commits.version()
    const { header } = file
    file.header = undefined
    expect(commits.version()).toBeNaN()
    file.header = header
    expect(commits.version()).toBe(before)
  })

  it('equals nothing while data_version cannot be asked, and proves nothing then', () => {
    const { file, commits } = fakeFile()
    const before = commits.version()
    commits.version()
    file.dataVersion = Number.NaN
    expect(commits.version()).toBeNaN()
    file.dataVersion = 1
    expect(commits.version()).toBe(before)
  })
})

describe('the version of a real file', () => {
  let dir: string
  let file: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-commits-'))
    file = join(dir, 'test.db')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('changes with each commit of this connection and of another one, also when the log begins anew', async () => {
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

  it('is there again after a process was killed in the middle of a change of the header', async () => {
    const database = openDatabase(sqliteDialect(file))
    const write = (text: string) => database.transaction(async (tx) => void (await sql.raw(text).execute(tx)))
    const version = database.connections.version!
    version()
    version()
    await write('create table t (id integer primary key)')
    expect(version()).not.toBeNaN()
    const index = openSync(`${file}-shm`, 'r+')
    try {
      const byte = Buffer.alloc(1)
      // The second copy of the header is written first.
      readSync(index, byte, 0, 1, 48 + 8)
      writeSync(index, Buffer.from([byte[0]! + 1]), 0, 1, 48 + 8)
      expect(version()).toBeNaN()
      await sql`select * from t`.execute(database.read)
      expect(version()).not.toBeNaN()
    } finally {
      await database.close()
      closeSync(index)
    }
  })
})
