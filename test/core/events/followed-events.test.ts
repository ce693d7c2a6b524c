import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DomainEvent, EventFollower, EventLog } from '../../../src/core/events/index.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { topicEvents } from '../../../src/domains/repositories/topics/topics.events.ts'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../harness/databases.ts'
import { eventually } from '../../harness/event-stream.ts'

describeOnBoth('a follower of events', (kind) => {
  let db: TestDatabase
  const events = new EventLog()
  events.install([{ name: 'topics', events: topicEvents }])
  beforeAll(async () => {
    db = await freshDatabase(kind)
  })
  afterAll(() => db.close())

  /** Commits an event once `finish` resolves; `appended` is called when it has its id, `fails` rolls it back. */
  const append = (
    name: string,
    { finish = Promise.resolve(), fails = false, appended = (): void => {} } = {},
  ): Promise<void> =>
    db.database.transaction(async (tx) => {
      const origin = { actor: { account: { id: 0 } }, repoId: 1, at: 1 }
      await events.append(tx, 'repo.topics_changed', origin, { repo_id: 1, topics: [name] })
      appended()
      await finish
      if (fails) throw new Error('rolled back')
    })

  const follow = async () => {
    const taken: DomainEvent<'repo.topics_changed'>[] = []
    const follower = new EventFollower(
      { database: db.database, events, log: createLogger('silent'), interval: 50 },
      {
        wants: () => true,
        take: async (some) => void taken.push(...(some as typeof taken)),
        fail: () => {},
      },
    )
    await follower.start()
    return {
      follower,
      names: () => taken.map(({ payload }) => payload.topics[0]),
      ids: () => taken.map(({ id }) => id),
    }
  }

  it('returns what is committed from its start, once and in the order of ids', async () => {
    await append('before')
    const { follower, names, ids } = await follow()
    await Promise.all(Array.from({ length: 30 }, (_, n) => append(`after ${n}`)))
    await eventually(() => names().length === 30)
    expect(new Set(names()).size).toBe(30)
    expect(names()).not.toContain('before')
    expect(ids()).toEqual(ids().toSorted((a, b) => a - b))
    expect(follower.delivered).toBe(ids().at(-1))
    await follower.stop()
    await append('unheard')
    expect(names()).not.toContain('unheard')
  })

  // On SQLite writers take turns.
  const itWithManyWriters = kind === 'postgres' ? it : undefined
  itWithManyWriters?.('waits for an event of a lower id that is committed later', async () => {
    const { follower, names, ids } = await follow()
    const release = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const slow = append('slow', { finish: release.promise, appended: begun.resolve })
    await begun.promise
    await append('quick')
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(names()).toEqual([])
    release.resolve()
    await slow
    await eventually(() => names().length === 2)
    expect(names()).toEqual(['slow', 'quick'])
    expect(ids()[0]).toBeLessThan(ids()[1]!)
    await follower.stop()
  })

  it('continues after an event that was rolled back', async () => {
    const { follower, names } = await follow()
    await expect(append('lost', { fails: true })).rejects.toThrow('rolled back')
    await append('kept')
    await eventually(() => names().length === 1)
    expect(names()).toEqual(['kept'])
    await follower.stop()
  })
})
