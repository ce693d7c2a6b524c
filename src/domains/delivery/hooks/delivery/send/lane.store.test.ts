import { afterAll, beforeAll, expect, it } from 'vitest'
import { leaseLanes, listDueLanes, wakeLanes } from './lane.store.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../../../test/harness/databases.ts'

const LEASE_MS = 10_000
const NOW = 1_000_000

describeOnBoth('lanes of webhooks', (kind) => {
  let opened: TestDatabase
  let hookId = 0
  beforeAll(async () => {
    opened = await freshDatabase(kind)
    hookId = await opened.database.transaction(async (tx) => {
      const hook = {
        scope: 'system',
        type: 'gitea',
        url: 'http://a.test/',
        content_type: 'json',
        is_active: 1,
      } as const
      const values = { ...hook, events: '[]', created_at: 1, updated_at: 1 } as never
      const { id } = await tx.insertInto('webhook').values(values).returning('id').executeTakeFirstOrThrow()
      await wakeLanes(tx, [{ hookId: id, origin: 'http://a.test' }], NOW - 1)
      return id
    })
  })
  afterAll(() => opened.close())

  it('are not taken from a process whose clock is ahead', async () => {
    const take = (holder: string, now: number): Promise<Set<number>> =>
      opened.database.transaction((tx) => leaseLanes(tx, [hookId], { now, leaseMs: LEASE_MS, takesOver: true, holder }))
    expect(await take('one', NOW + 900)).toEqual(new Set([hookId]))
    expect(await take('two', NOW)).toEqual(new Set())
    const times = { now: NOW, leaseMs: LEASE_MS, takesOver: true }
    const choice = { exceptOrigins: [], exceptOwners: [], exceptShares: [], healthyOnly: false }
    expect(await listDueLanes(opened.database.read, times, choice)).toEqual([])
    expect(await take('two', NOW + 900 + LEASE_MS)).toEqual(new Set([hookId]))
  })
})
