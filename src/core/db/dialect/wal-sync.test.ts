import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { Kysely, sql, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WritingDriver } from './sqlite-writer.ts'
import { WalSync, WriterQueue } from './sqlite-connection.ts'

/** A file sync that ends when the test decides. */
function controlledSync() {
  const calls: { end(): void; fail(error: Error): void }[] = []
  const sync = (): Promise<void> => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    calls.push({ end: resolve, fail: reject })
    return promise
  }
  return { sync, calls }
}

async function settled(promise: Promise<unknown>): Promise<boolean> {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
  return Promise.race([promise.then(() => true), Promise.resolve(false)])
}

class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

describe('commits that wait for the disk', () => {
  let dir: string
  let file: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'ingot-wal-'))
    file = join(dir, 'ingot.db')
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it('share the sync that begins after them, never one in progress', async () => {
    writeFileSync(`${file}-wal`, '')
    const { sync, calls } = controlledSync()
    const wal = new WalSync(file, sync)
    const first = wal.wait()
    const [second, third] = [wal.wait(), wal.wait()]
    expect(calls).toHaveLength(1)
    calls[0]!.end()
    await first
    expect(await settled(second)).toBe(false)
    expect(calls).toHaveLength(2)
    calls[1]!.end()
    await Promise.all([second, third])
    await wal.close()
  })

  it('reject if the disk fails, and the next sync is a new attempt', async () => {
    writeFileSync(`${file}-wal`, '')
    const { sync, calls } = controlledSync()
    const wal = new WalSync(file, sync)
    const [first, second] = [wal.wait(), wal.wait()]
    calls[0]!.fail(new Error('disk'))
    await expect(first).rejects.toThrow('disk')
    expect(await settled(second)).toBe(false)
    calls[1]!.end()
    await second
    await wal.close()
  })

  it('are not answered before they are durable, and do not block the next transactions', async () => {
    const database = new Sqlite(file)
    database.pragma('journal_mode = WAL')
    const { sync, calls } = controlledSync()
    const db = new Kysely<{ t: { v: number } }>({
      dialect: {
        createAdapter: () => new Adapter(),
        createDriver: () =>
          new WritingDriver(database, {
            wal: new WalSync(file, sync),
            turns: new WriterQueue(undefined),
            busyDeadlineMs: 1000,
            beforeWrite: () => {},
          }),
        createIntrospector: (of) => new SqliteIntrospector(of),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    })
    database.exec('create table t (v integer)')
    const insert = (v: number) => db.transaction().execute((tx) => tx.insertInto('t').values({ v }).execute())
    const first = insert(1)
    expect(await settled(first)).toBe(false)
    const second = insert(2)
    expect(await settled(second)).toBe(false)
    expect(database.prepare('select count(*) from t').pluck().get()).toBe(2)
    calls[0]!.end()
    await first
    expect(await settled(second)).toBe(false)
    calls[1]!.fail(new Error('disk'))
    await expect(second).rejects.toThrow('disk')
    await sql`select 1`.execute(db)
    database.close()
  })
})
