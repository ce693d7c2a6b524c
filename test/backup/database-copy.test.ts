import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql, type Kysely } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Connections } from '../../src/db/dialect/dialect.ts'
import { sqliteDialect } from '../../src/db/dialect/sqlite.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { DatabaseCopier, type DatabaseCopierDeps } from '../../src/subjects/backups/database/database-copier.ts'
import { prune } from '../../src/subjects/backups/files/prune.ts'
import { directoryPlace } from '../../src/subjects/backups/places/directory-place.ts'
import type { Place } from '../../src/subjects/backups/places/place.ts'
import { listSeries } from '../../src/subjects/backups/restore/list-moments.ts'
import { momentText, restoreDatabase } from '../../src/subjects/backups/restore/restore-database.ts'

interface Tables {
  t: { v: number; text: string }
}

let dir: string
let file: string
let place: Place
let connections: Connections<Tables>
let time: number
let written: number

const open = (): void => {
  connections = sqliteDialect(file, undefined, true).connect<Tables>()
}
const write = async (count: number, size = 100): Promise<void> => {
  for (let i = 0; i < count; i++) {
    const row = { v: ++written, text: 'x'.repeat(size) }
    await connections.write.transaction().execute((tx: Kysely<Tables>) => tx.insertInto('t').values(row).execute())
  }
}
const copierOf = (given: Partial<DatabaseCopierDeps> = {}): DatabaseCopier =>
  new DatabaseCopier({
    log: connections.log!,
    place,
    clock: { now: () => (time += 1000) },
    logger: createLogger('silent'),
    databaseFile: file,
    bookmarkFile: join(dir, 'backup-position.json'),
    snapshotIntervalMs: 1_000_000_000,
    maxLogBytes: 1_000_000_000,
    ...given,
  })
const copyAll = async (copier: DatabaseCopier): Promise<void> => {
  while (await copier.copy());
  await copier.settle()
  while (await copier.copy());
}
let made = 0
/** The rows of the database as it is restored. */
async function restored(at = Infinity): Promise<number[]> {
  const to = join(dir, `restored-${made++}.db`)
  await restoreDatabase({ place, at, file: to, progress: () => {} })
  const database = new Sqlite(to)
  try {
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
    return database.prepare<[], number>('select v from t order by v').pluck().all()
  } finally {
    database.close()
  }
}
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1)
const segments = (): string[] =>
  readdirSync(join(dir, 'copy'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.pages'))
    .toSorted()
    .map((name) => join(dir, 'copy', name))
const countSeries = async (): Promise<number> => (await listSeries(place)).length

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'ingot-copy-'))
  mkdirSync(join(dir, 'copy'))
  file = join(dir, 'ingot.db')
  place = directoryPlace(join(dir, 'copy'))
  time = Date.parse('2026-11-22T00:00:00Z')
  written = 0
  open()
  await sql`create table t (v integer primary key, text text)`.execute(connections.write)
})
afterEach(async () => {
  await connections.close()
  rmSync(dir, { recursive: true, force: true })
})

describe('the copy of a database', () => {
  it('has every moment, through checkpoints, snapshots and vacuum', async () => {
    const copier = copierOf({ snapshotIntervalMs: 20_000 })
    const moments: [at: number, rows: number][] = []
    await copyAll(copier)
    for (let round = 0; round < 8; round++) {
      await write(60, 6000)
      await copyAll(copier)
      moments.push([time, written])
    }
    // The log began anew: otherwise it had 8 * 60 transactions of several pages.
    expect(connections.log!.state()!.frames).toBeLessThan(1400)
    const [series] = await listSeries(place)
    expect(await countSeries()).toBe(1)
    expect(series!.snapshots.length).toBeGreaterThan(1)
    for (const [at, rows] of moments) expect(await restored(at)).toEqual(upTo(rows))
    await sql`delete from t where v > 10`.execute(connections.write)
    await sql`vacuum`.execute(connections.write)
    await copyAll(copier)
    expect(await restored()).toEqual(upTo(10))
    await expect(restored(0)).rejects.toThrow('nothing was copied by then: the first moment is 2026-11-22T')
  })

  it('has the moments of the last days, and none before', async () => {
    const copier = copierOf({ snapshotIntervalMs: 3_600_000 })
    const day = 24 * 3_600_000
    for (let round = 0; round < 4; round++) {
      await write(10)
      await copyAll(copier)
      time += day
    }
    const gone = join(dir, 'copy/files/objects/blobs/lfs/aa/bb/gone')
    mkdirSync(dirname(gone), { recursive: true })
    writeFileSync(gone, '')
    const begun = join(dir, 'copy/begun.json.tmp-00')
    const useless = join(dir, 'copy/database/2026-11-22T000000.000Z-none/series.json')
    mkdirSync(dirname(useless), { recursive: true })
    for (const path of [begun, useless]) writeFileSync(path, '')
    utimesSync(begun, 0, 0)
    const { signal } = new AbortController()
    const clock = { now: () => time }
    await prune({ place, dataDir: dir, clock, days: 2, signal })
    const [series] = await listSeries(place)
    expect(series!.from).toBeLessThan(time - 2 * day)
    expect(series!.from).toBeGreaterThan(time - 3 * day - 100_000)
    expect(await restored(time - 2 * day)).toEqual(upTo(30))
    expect(await restored()).toEqual(upTo(40))
    await expect(restored(time - 3 * day - 100_000)).rejects.toThrow('nothing was copied by then')
    expect([begun, useless, gone].map((path) => existsSync(path))).toEqual([false, false, true])
    time += 2 * day
    await prune({ place, dataDir: dir, clock, days: 1, signal })
    expect(existsSync(gone)).toBe(false)
    expect(await restored()).toEqual(upTo(40))
  })

  it('goes on after a stop and after a crash, and begins anew when something else wrote the log into the database', async () => {
    const first = copierOf()
    await copyAll(first)
    await write(20)
    await first.close()
    await connections.close()
    open()
    await write(20)
    const second = copierOf()
    await copyAll(second)
    expect(await countSeries()).toBe(1)
    expect(await restored()).toEqual(upTo(40))
    // A crash: what was committed meanwhile is in the log still.
    await write(20)
    const third = copierOf()
    await copyAll(third)
    expect(await countSeries()).toBe(1)
    expect(await restored()).toEqual(upTo(60))
    await write(20)
    const other = new Sqlite(file)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    await write(20)
    await copyAll(third)
    expect(await countSeries()).toBe(2)
    expect(await restored()).toEqual(upTo(100))
  })

  it('costs writers nothing while the place is away, and the log stays within its bound', async () => {
    let isAway = false
    const refuse = (): void => {
      if (isAway) throw new Error('the place is away')
    }
    const copier = copierOf({
      place: {
        ...place,
        put: async (...given) => (refuse(), place.put(...given)),
        putStream: async (...given) => (refuse(), place.putStream(...given)),
      },
      maxLogBytes: 2_000_000,
    })
    await copyAll(copier)
    const covered = copier.coveredUntil
    isAway = true
    for (let round = 0; round < 6; round++) {
      await write(100, 6000)
      await expect(copier.copy()).rejects.toThrow('the place is away')
    }
    expect(copier.coveredUntil).toBeLessThanOrEqual(covered + 10_000)
    // 600 transactions are more than 10 MB of log.
    expect(connections.log!.state()!.frames * 4096).toBeLessThan(5_000_000)
    isAway = false
    await copyAll(copier)
    await write(1)
    await copyAll(copier)
    expect(copier.coveredUntil).toBeGreaterThan(covered)
    expect(await restored()).toEqual(upTo(601))
  })

  it('names a segment that is damaged, cut short or missing, and the last moment before it', async () => {
    const copier = copierOf()
    await copyAll(copier)
    const moments: number[] = []
    for (let round = 0; round < 4; round++) {
      await write(10)
      await copyAll(copier)
      moments.push(time)
    }
    const [, second, third, last] = segments() as [string, string, string, string]
    const inPlace = (path: string): string => path.slice(join(dir, 'copy').length + 1)
    const [series] = await listSeries(place)
    const before = (path: string): string => {
      const index = series!.segments.findIndex(({ name }) => name === inPlace(path))
      return momentText(series!.segments[index - 1]!.time)
    }
    truncateSync(last, 300)
    await expect(restored()).rejects.toThrow(
      `${inPlace(last)} is damaged. The last moment before it is ${before(last)}`,
    )
    expect(await restored(Date.parse(before(last)))).toEqual(upTo(30))
    const bytes = readFileSync(third)
    writeFileSync(third, bytes.with(bytes.length - 5, bytes.at(-5)! ^ 1))
    await expect(restored()).rejects.toThrow(
      `${inPlace(third)} is damaged. The last moment before it is ${before(third)}`,
    )
    rmSync(second)
    await expect(restored()).rejects.toThrow(/segment 2 before .* is missing\. The last moment before it is /)
    expect(await restored(moments[0])).toEqual(upTo(10))
  })
})
