import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Destination } from '../../../src/domains/operations/index.ts'
import { listSeries } from '../../../src/domains/operations/index.ts'
import { CopiedDatabase, copyAll, upTo } from './copied-database.ts'

let db: CopiedDatabase
beforeEach(async () => {
  db = await CopiedDatabase.make()
})
afterEach(async () => {
  spawnSync('umount', ['--lazy', db.copy])
  await db.remove()
})

/** The destination of a process that is killed before, in or after its next writes but so many. */
function killedAfter(steps: number): Destination {
  const isDead = (): boolean => steps-- <= 0
  const write = async (effect: () => Promise<void>, name: string): Promise<void> => {
    if (isDead()) throw new Error('killed')
    if (isDead()) {
      writeFileSync(join(db.copy, `${name.split('/').at(-1)!}.tmp-0123456789ab`), 'half')
      throw new Error('killed')
    }
    await effect()
    if (isDead()) throw new Error('killed')
  }
  return {
    ...db.destination,
    put: (name, data) => write(() => db.destination.put(name, data), name),
    putStream: (name, source, size) => write(() => db.destination.putStream(name, source, size), name),
  }
}

it('continues after a kill at any step of a snapshot or segment, and contains all covered commits', async () => {
  const moments: [at: number, rows: number][] = []
  const settings = { snapshotIntervalMs: 60_000 }
  let kills = 0
  for (let steps = 0; steps < 12; steps++) {
    const copier = db.copier({ ...settings, destination: killedAfter(steps) })
    await db.write(2)
    db.time += 30_000
    try {
      await copyAll(copier)
      moments.push([db.time, db.written])
      await db.write(1)
      await copyAll(copier)
    } catch (error) {
      expect((error as Error).message).toBe('killed')
      kills++
    }
    await copier.settle()
    const rows = db.written
    const next = db.copier(settings)
    await copyAll(next)
    moments.push([db.time, rows])
  }
  expect(kills).toBeGreaterThan(8)
  const all = await listSeries(db.destination)
  expect(all).toHaveLength(1)
  expect(all[0]!.snapshots.length).toBeGreaterThan(3)
  for (const [at, rows] of moments.filter((_, index) => index % 4 === 0))
    expect(await db.restored(at)).toEqual(upTo(rows))
  expect(await db.restored()).toEqual(upTo(db.written))
})

/** Room for so many KiB; a disk of its own where one can be mounted, else a destination that counts bytes. */
function smallDestination(room: number): { destination: Destination; makeRoom(): void } {
  const mount = (option: string): boolean =>
    spawnSync('mount', ['-t', 'tmpfs', '-o', option, 'ingot-test', db.copy]).status === 0
  if (mount(`size=${room}k`)) return { destination: db.destination, makeRoom: () => void mount('remount,size=64m') }
  let left = room * 1024
  const destination: Destination = {
    ...db.destination,
    async put(name, data) {
      left -= data.length
      if (left < 0) throw new Error('ENOSPC: no space left on device, write')
      await db.destination.put(name, data)
    },
  }
  return { destination, makeRoom: () => (left = Infinity) }
}

it('waits for space on a full disk, lists no partial file, and continues its series without a gap', async () => {
  const { destination, makeRoom } = smallDestination(256)
  const copier = db.copier({ destination })
  await copyAll(copier)
  let at = 0
  for (let round = 0; at === 0; round++) {
    expect(round).toBeLessThan(100)
    const before = { time: db.time, rows: db.written }
    // Text that compresses badly.
    await db.write(20, 2000, () => crypto.getRandomValues(Buffer.alloc(1000)).toString('hex'))
    await copyAll(copier).catch((error: Error) => {
      expect(error.message).toMatch(/^ENOSPC/)
      at = before.time
      expect(before.rows).toBe(db.written - 20)
    })
  }
  const covered = copier.coveredUntil
  for (let round = 0; round < 3; round++) {
    await db.write(20)
    await expect(copier.copy()).rejects.toThrow('ENOSPC')
  }
  expect(copier.coveredUntil).toBe(covered)
  expect(db.files('').filter((name) => name.includes('.tmp-'))).toEqual([])
  expect(await db.restored()).toEqual(upTo(db.written - 80))
  makeRoom()
  await copyAll(copier)
  expect(await listSeries(db.destination)).toHaveLength(1)
  expect(await db.restored(at)).toEqual(upTo(db.written - 80))
  expect(await db.restored()).toEqual(upTo(db.written))
})
