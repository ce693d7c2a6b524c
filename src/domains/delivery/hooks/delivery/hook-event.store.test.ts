import { afterAll, beforeAll, expect, it } from 'vitest'
import { freeEventsOf, insertHookEvents, leaseHookEvents, listBuildableEvents } from './hook-event.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../../test/harness/databases.ts'

const TIMES = { now: 1_000_000, leaseMs: 10_000 }

describeOnBoth('events whose webhook messages are to be built', (on) => {
  let test: TestDatabase
  beforeAll(async () => {
    test = await freshDatabase(on)
  })
  afterAll(() => test.close())

  it('are leased all together by one process', async () => {
    const { database } = test
    const lease = (ids: readonly number[], holder: string): Promise<boolean> =>
      database.transaction((tx) => leaseHookEvents(tx, ids, { ...TIMES, holder }))
    const buildable = (holder = 'two'): Promise<number[]> =>
      listBuildableEvents(database.read, { ...TIMES, holder }, 10)
    await database.transaction((tx) => insertHookEvents(tx, [1, 2, 3]))
    expect(await lease([1, 2], 'one')).toBe(true)
    expect(await lease([1, 2, 3], 'two')).toBe(false)
    expect(await buildable()).toEqual([])
    // A process that was interrupted after leasing them, because the database was unavailable.
    expect(await buildable('one')).toEqual([1, 2, 3])
    expect(await lease([1, 2], 'one')).toBe(true)
    await database.transaction((tx) => freeEventsOf(tx, ['one']))
    // The other process has no lease on the third event, which would block all processes.
    expect(await buildable()).toEqual([1, 2, 3])
  })
})
