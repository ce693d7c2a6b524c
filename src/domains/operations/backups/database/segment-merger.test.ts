import { rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { DatabaseCopier } from './database-copier.ts'
import { prune } from '../files/prune.ts'
import type { Destination } from '../../index.ts'
import { listSeries } from '../restore/list-series.ts'
import { CopiedDatabase, copyAll, upTo } from '../../../../../test/operations/backups/copied-database.ts'

const HOUR = 3_600_000
let db: CopiedDatabase
let copier: DatabaseCopier
/** The rows committed at each time. */
let moments: { at: number; rows: number[] }[]
let present: number[]
beforeEach(async () => {
  db = await CopiedDatabase.make()
  copier = db.copier({ snapshotIntervalMs: 3 * HOUR })
  moments = []
  present = []
})
afterEach(() => db.remove())

async function commit(count: number, size?: number): Promise<void> {
  const before = db.written
  await db.write(count, size)
  present = [...present, ...upTo(db.written).slice(before)]
  await copyAll(copier)
  moments.push({ at: db.time, rows: present })
}
/** Commits several times in each of several hours. */
async function writeHours(hours: number, times = 5): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    for (let each = 0; each < times; each++) await commit(3, 3000)
    db.time = Math.ceil((db.time + 1) / HOUR) * HOUR
  }
}
/** The numbers of the files after a snapshot. */
const filesOf = async () => {
  const [series] = await listSeries(db.destination)
  return {
    merged: series!.merged.map(({ number, last }) => [number, last]),
    segments: series!.segments.map(({ number }) => number),
  }
}
async function expectAll(list = moments): Promise<void> {
  for (const { at, rows } of list) expect(await db.restored(at)).toEqual(rows)
}

it('merges the segments of past hours up to snapshots, and deletes them after the time of exact restores', async () => {
  await writeHours(2)
  await sql`delete from t where v > 6`.execute(db.connections.write)
  present = upTo(6)
  await sql`vacuum`.execute(db.connections.write)
  await writeHours(3)
  await commit(1)
  const segments = (await filesOf()).segments
  const exact = db.merger(copier, { exactMs: 2.5 * HOUR })
  await exact.merge()
  const { merged, segments: left } = await filesOf()
  const [series] = await listSeries(db.destination)
  const starts = series!.snapshots.map(({ number }) => number)
  expect(starts.length).toBeGreaterThan(1)
  // Each number is in at most one merged file; numbers that are alone in their hour or in the last hour are in none.
  const isIn = (number: number): boolean => merged.some(([first, last]) => number >= first! && number <= last!)
  const alone = segments.filter((number) => !isIn(number))
  expect(alone.length).toBeLessThan(6)
  expect(merged.flat()).toEqual(merged.flat().toSorted((a, b) => a! - b!))
  for (const [first, last] of merged) expect(starts.some((start) => start > first! && start <= last!)).toBe(false)
  // The last hours can be restored exactly, earlier times to the ends of files.
  const bound = db.time - 2.5 * HOUR
  await expectAll(moments.filter(({ at }) => at > bound))
  const old = moments.filter(({ at }) => at < bound - HOUR)
  expect(old.length).toBeGreaterThan(5)
  expect(left.length).toBeLessThan(segments.length)
  const ends = [...series!.snapshots, ...series!.segments, ...series!.merged].map(({ time }) => time)
  for (const { at } of old) {
    const end = Math.max(...ends.filter((time) => time <= at))
    const rows = moments.findLast((moment) => moment.at <= end + 4000)?.rows ?? []
    expect(await db.restored(at), new Date(at).toISOString()).toEqual(rows)
  }
  await db.merger(copier).merge()
  expect((await filesOf()).segments).toEqual(alone)
  expect(await db.restored()).toEqual(present)
  const again = await filesOf()
  await db.merger(copier).merge()
  expect(await filesOf()).toEqual(again)
  const { signal } = new AbortController()
  db.time += 24 * HOUR
  await prune({ destination: db.destination, dataDir: db.dir, clock: { now: () => db.time }, days: 1, signal })
  expect((await filesOf()).merged.length).toBeLessThan(merged.length)
  expect(await db.restored()).toEqual(present)
})

it('continues after a fault at any step without losing a point in time', async () => {
  await writeHours(1, 4)
  await commit(1)
  const ends = moments.slice(-2)
  const faulty = (steps: number): Destination => {
    const step = async (effect: () => Promise<void>): Promise<void> => {
      if (steps-- <= 0) throw new Error('killed')
      await effect()
      if (steps-- <= 0) throw new Error('killed')
    }
    return {
      ...db.destination,
      put: (name, data) => step(() => db.destination.put(name, data)),
      remove: (name) => step(() => db.destination.remove(name)),
    }
  }
  const merge = (steps: number): Promise<boolean> =>
    db
      .merger(copier, { destination: faulty(steps) })
      .merge()
      .then(
        () => true,
        () => false,
      )
  let rounds = 0
  // Faults occur before a file is written or deleted, after it, and before the next one.
  while (!(await merge(rounds % 3))) {
    await expectAll(ends)
    expect(++rounds).toBeLessThan(100)
  }
  expect(rounds).toBeGreaterThan(4)
  expect(db.files('.pages')).toHaveLength(2)
  await expectAll(ends)
})

it('restores from the segments of a damaged merged file, and merges around a damaged segment', async () => {
  await writeHours(2)
  const merger = db.merger(copier, { exactMs: 24 * HOUR })
  await commit(1)
  await merger.merge()
  const [first, second] = db.files('.pages').filter((name) => name.includes('/merged/'))
  truncateSync(join(db.copy, first!), 200)
  rmSync(join(db.copy, second!))
  await expectAll()
  await expect(db.merger(copier).merge()).rejects.toThrow(`${first} is damaged`)
  await expectAll()
  await writeHours(1)
  await commit(1)
  const damaged = db
    .files('.pages')
    .filter((name) => name.includes('/segments/'))
    .at(-4)!
  truncateSync(join(db.copy, damaged), 200)
  const before = (await filesOf()).merged.length
  await merger.merge()
  expect((await filesOf()).merged.length).toBe(before + 2)
  await expectAll(moments.slice(0, -4))
  await expect(db.restored(moments.at(-2)!.at)).rejects.toThrow(
    `${damaged} is damaged. The last point in time before it is `,
  )
})
