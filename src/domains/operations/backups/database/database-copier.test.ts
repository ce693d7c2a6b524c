import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prune } from '../files/prune.ts'
import { listSeries } from '../restore/list-series.ts'
import { timeText } from '../restore/restore-database.ts'
import { CopiedDatabase, copyAll, upTo } from '../../../../../test/operations/backups/copied-database.ts'

let db: CopiedDatabase
const countSeries = async (): Promise<number> => (await listSeries(db.destination)).length
beforeEach(async () => {
  db = await CopiedDatabase.make()
})
afterEach(() => db.remove())

describe('the copy of a database', () => {
  it('can be restored to every point in time, across checkpoints, snapshots and vacuum', async () => {
    const copier = db.copier({ snapshotIntervalMs: 20_000 })
    const moments: [at: number, rows: number][] = []
    await copyAll(copier)
    for (let round = 0; round < 8; round++) {
      await db.write(100, 6000)
      await copyAll(copier)
      moments.push([db.time, db.written])
    }
    // The log was restarted: otherwise it would have 8 * 200 pages.
    expect(db.connections.log!.state()!.frames).toBeLessThan(1400)
    const [series] = await listSeries(db.destination)
    expect(await countSeries()).toBe(1)
    expect(series!.snapshots.length).toBeGreaterThan(1)
    for (const [at, rows] of moments) expect(await db.restored(at)).toEqual(upTo(rows))
    await sql`delete from t where v > 10`.execute(db.connections.write)
    await sql`vacuum`.execute(db.connections.write)
    await copyAll(copier)
    expect(await db.restored()).toEqual(upTo(10))
    await expect(db.restored(0)).rejects.toThrow('nothing was copied by then: the copy begins at 2026-11-22T')
  })

  it('can be restored to points in time of the last days, but not before', async () => {
    const copier = db.copier({ snapshotIntervalMs: 3_600_000 })
    const day = 24 * 3_600_000
    for (let round = 0; round < 4; round++) {
      await db.write(10)
      await copyAll(copier)
      db.time += day
    }
    const gone = join(db.copy, 'files/objects/blobs/lfs/aa/bb/gone')
    mkdirSync(dirname(gone), { recursive: true })
    writeFileSync(gone, '')
    const begun = join(db.copy, 'begun.json.tmp-00')
    const useless = join(db.copy, 'database/2026-11-22T000000.000Z-none/series.json')
    mkdirSync(dirname(useless), { recursive: true })
    for (const path of [begun, useless]) writeFileSync(path, '')
    utimesSync(begun, 0, 0)
    const { signal } = new AbortController()
    const clock = { now: () => db.time }
    await prune({ destination: db.destination, dataDir: db.dir, clock, days: 2, signal })
    const [series] = await listSeries(db.destination)
    expect(series!.from).toBeLessThan(db.time - 2 * day)
    expect(series!.from).toBeGreaterThan(db.time - 3 * day - 100_000)
    expect(await db.restored(db.time - 2 * day)).toEqual(upTo(30))
    expect(await db.restored()).toEqual(upTo(40))
    await expect(db.restored(db.time - 3 * day - 100_000)).rejects.toThrow('nothing was copied by then')
    expect([begun, useless, gone].map((path) => existsSync(path))).toEqual([false, false, true])
    db.time += 2 * day
    await prune({ destination: db.destination, dataDir: db.dir, clock, days: 1, signal })
    expect(existsSync(gone)).toBe(false)
    expect(await db.restored()).toEqual(upTo(40))
  })

  it('continues after a stop and after a crash, and starts a new series after a foreign checkpoint', async () => {
    const first = db.copier()
    await copyAll(first)
    await db.write(20)
    await first.close()
    await db.connections.close()
    db.open()
    await db.write(20)
    const second = db.copier()
    await copyAll(second)
    expect(await countSeries()).toBe(1)
    expect(await db.restored()).toEqual(upTo(40))
    // A crash: commits since the last copy are still in the log.
    await db.write(20)
    const third = db.copier()
    await copyAll(third)
    expect(await countSeries()).toBe(1)
    expect(await db.restored()).toEqual(upTo(60))
    await db.write(20)
    const other = new Sqlite(db.file)
    other.pragma('wal_checkpoint(TRUNCATE)')
    other.close()
    await db.write(20)
    await copyAll(third)
    expect(await countSeries()).toBe(2)
    expect(await db.restored()).toEqual(upTo(100))
  })

  it('does not delay writers while the destination is unavailable, and limits the log', async () => {
    let isAway = false
    const refuse = (): void => {
      if (isAway) throw new Error('the destination is away')
    }
    const copier = db.copier({
      destination: {
        ...db.destination,
        put: async (...given) => (refuse(), db.destination.put(...given)),
        putStream: async (...given) => (refuse(), db.destination.putStream(...given)),
      },
      maxLogBytes: 2_000_000,
    })
    await copyAll(copier)
    const covered = copier.coveredUntil
    isAway = true
    for (let round = 0; round < 6; round++) {
      await db.write(100, 18_000)
      await expect(copier.copy()).rejects.toThrow('the destination is away')
    }
    expect(copier.coveredUntil).toBeLessThanOrEqual(covered + 10_000)
    // 600 rows are more than 10 MB of log.
    expect(db.connections.log!.state()!.frames * 4096).toBeLessThan(6_000_000)
    isAway = false
    await copyAll(copier)
    await db.write(1)
    await copyAll(copier)
    expect(copier.coveredUntil).toBeGreaterThan(covered)
    expect(await db.restored()).toEqual(upTo(601))
  })

  it('reports a damaged, truncated or missing segment, and the last point in time before it', async () => {
    const copier = db.copier()
    await copyAll(copier)
    const moments: number[] = []
    for (let round = 0; round < 4; round++) {
      await db.write(10)
      await copyAll(copier)
      moments.push(db.time)
    }
    const [, second, third, last] = db.files('.pages').map((name) => join(db.copy, name)) as [
      string,
      string,
      string,
      string,
    ]
    const inPlace = (path: string): string => path.slice(db.copy.length + 1)
    const [series] = await listSeries(db.destination)
    const before = (path: string): string => {
      const index = series!.segments.findIndex(({ name }) => name === inPlace(path))
      return timeText(series!.segments[index - 1]!.time)
    }
    truncateSync(last, 300)
    await expect(db.restored()).rejects.toThrow(
      `${inPlace(last)} is damaged. The last point in time before it is ${before(last)}`,
    )
    expect(await db.restored(Date.parse(before(last)))).toEqual(upTo(30))
    const bytes = readFileSync(third)
    writeFileSync(third, bytes.with(bytes.length - 5, bytes.at(-5)! ^ 1))
    await expect(db.restored()).rejects.toThrow(
      `${inPlace(third)} is damaged. The last point in time before it is ${before(third)}`,
    )
    rmSync(second)
    await expect(db.restored()).rejects.toThrow(/segment 2 before .* is missing\. The last point in time before it is /)
    expect(await db.restored(moments[0])).toEqual(upTo(10))
  })
})
