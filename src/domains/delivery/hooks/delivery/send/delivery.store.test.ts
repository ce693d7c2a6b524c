import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth, freshDatabase, type TestDatabase } from '../../../../../../test/harness/databases.ts'
import type { HookMessage } from '../../payloads/payload.ts'
import { insertMessages } from './delivery.store.ts'

/** Their values are more than one statement of either database takes. */
const MANY = 14_000

describeOnBoth('messages of webhooks', (on) => {
  let fresh: TestDatabase
  beforeAll(async () => {
    fresh = await freshDatabase(on)
  })
  afterAll(() => fresh.close())

  it('are inserted in order however many a push has', async () => {
    const { database } = fresh
    const messages = Array.from(
      { length: MANY },
      (_, n) => ({ event: 'create', eventType: 'create', payload: { ref: `v${n}` } }) as unknown as HookMessage,
    )
    const ids = await database.transaction((tx) => insertMessages(tx, messages, 1))
    expect(ids).toHaveLength(MANY)
    const rows = await database.read.selectFrom('hook_message').select(['id', 'payload']).orderBy('id').execute()
    expect(rows.map(({ id }) => id)).toEqual(ids)
    expect(rows.map(({ payload }) => JSON.parse(payload).ref)).toEqual(messages.map((_, n) => `v${n}`))
  })
})
