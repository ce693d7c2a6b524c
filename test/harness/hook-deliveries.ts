import { randomUUID } from 'node:crypto'
import type { Database } from '../../src/core/db/database.ts'

/** Writes a delivery of a webhook that was given up; returns its uuid. */
export async function addDeadDelivery(database: Database, hookId: number): Promise<string> {
  const uuid = randomUUID()
  await database.transaction(async (tx) => {
    const message = { event: 'push', event_type: 'push', payload: '{}', created_at: 1 }
    const { id } = await tx.insertInto('hook_message').values(message).returning('id').executeTakeFirstOrThrow()
    await tx
      .insertInto('hook_delivery')
      .values({ uuid, hook_id: hookId, message_id: id, state: 'dead', queued_at: 1, created_at: 1, finished_at: 1 })
      .execute()
  })
  return uuid
}
