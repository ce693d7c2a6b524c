import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { insertEvents, lockPendingEvents, markDispatched } from '../../../src/core/events/event.store.ts'
import { freshDatabase, type TestDatabase } from '../../harness/databases.ts'

const NOW = 1_000

describe.skipIf(inject('postgresUrl') === '')('an event that is committed after later ones of its repository', () => {
  let fresh: TestDatabase
  beforeEach(async () => {
    fresh = await freshDatabase('postgres')
  })
  afterEach(() => fresh.close())

  it('is dispatched alone while another node dispatches the later ones', async () => {
    const { database } = fresh
    const insert = async (tx: Parameters<typeof insertEvents>[0]): Promise<number> =>
      (await insertEvents(tx, [{ kind: 'repo.created', repo_id: 7, actor_id: 1, payload: '{}', created_at: NOW }]))[0]!
    const take = (tx: Parameters<typeof insertEvents>[0]) => lockPendingEvents(tx, NOW, 50)
    const { promise: mayCommit, resolve: commit } = Promise.withResolvers<void>()
    const { promise: inserted, resolve: hasInserted } = Promise.withResolvers<number>()
    const late = database.transaction(async (tx) => {
      hasInserted(await insert(tx))
      await mayCommit
    })
    const first = await inserted
    const second = await database.transaction(insert)
    await database.transaction(async (one) => {
      expect((await take(one)).map(({ id }) => id)).toEqual([second])
      commit()
      await late
      const third = await database.transaction(insert)
      await database.transaction(async (other) => {
        expect((await take(other)).map(({ id }) => id)).toEqual([first])
        await markDispatched(other, [first], NOW)
      })
      await markDispatched(one, [second], NOW)
      expect((await take(one)).map(({ id }) => id)).toEqual([third])
    })
  })
})
