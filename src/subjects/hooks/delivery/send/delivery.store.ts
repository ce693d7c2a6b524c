import type { Insertable, Selectable } from 'kysely'
import type { Database, Db, Tx } from '../../../../db/database.ts'
import type { HookScope } from '../../webhook.table.ts'
import type { HookDeliveryTable, HookMessageTable } from '../delivery.table.ts'

/** One attempt to send a delivery, as its history keeps it. */
export interface PastAttempt {
  /** Epoch milliseconds. */
  readonly at: number
  /** 0 for no answer. */
  readonly status: number
  readonly duration_ms: number
  /** Empty for success. */
  readonly error: string
}

/** A delivery that is to be sent, with its webhook. Secret and header are sealed. */
export interface PendingDelivery {
  readonly id: number
  readonly uuid: string
  readonly attempts: number
  readonly queuedAt: number
  readonly history: readonly PastAttempt[]
  readonly event: string
  readonly eventType: string
  readonly action: string
  readonly payload: string
  readonly hook: {
    readonly id: number
    readonly scope: HookScope
    readonly type: string
    readonly url: string
    readonly contentType: 'json' | 'form'
    readonly sealedSecret: string
    readonly sealedHeader: string
    readonly settings: Readonly<Record<string, string>>
  }
}

/** Returns the id of the message. */
export async function insertMessage(tx: Tx, values: Insertable<HookMessageTable>): Promise<number> {
  const { id } = await tx.insertInto('hook_message').values(values).returning('id').executeTakeFirstOrThrow()
  return id
}

export type NewDelivery = Pick<
  Selectable<HookDeliveryTable>,
  'uuid' | 'hook_id' | 'message_id' | 'queued_at' | 'created_at'
>

/** In the order in which they are to be sent. */
export async function insertDeliveries(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  rows: readonly NewDelivery[],
): Promise<void> {
  const columns = 5
  const most = Math.floor(dialect.chunkSize / columns)
  for (let start = 0; start < rows.length; start += most)
    await tx
      .insertInto('hook_delivery')
      .values(rows.slice(start, start + most))
      .execute()
}

/** The delivery of a webhook that comes next. */
export async function findNextDelivery(db: Db, hookId: number): Promise<PendingDelivery | undefined> {
  const row = await db
    .selectFrom('hook_delivery')
    .innerJoin('hook_message', 'hook_message.id', 'hook_delivery.message_id')
    .innerJoin('webhook', 'webhook.id', 'hook_delivery.hook_id')
    .select(['hook_delivery.id', 'hook_delivery.uuid', 'hook_delivery.attempts', 'hook_delivery.queued_at'])
    .select(['hook_delivery.history', 'hook_message.event', 'hook_message.event_type', 'hook_message.action'])
    .select(['hook_message.payload', 'webhook.scope', 'webhook.type', 'webhook.url', 'webhook.content_type'])
    .select(['webhook.secret', 'webhook.authorization_header', 'webhook.settings'])
    .where('hook_delivery.hook_id', '=', hookId)
    .where('hook_delivery.state', '=', 'waiting')
    .where('webhook.is_active', '=', 1)
    .orderBy('hook_delivery.id')
    .limit(1)
    .executeTakeFirst()
  return (
    row && {
      id: row.id,
      uuid: row.uuid,
      attempts: row.attempts,
      queuedAt: row.queued_at,
      history: JSON.parse(row.history) as PastAttempt[],
      event: row.event,
      eventType: row.event_type,
      action: row.action,
      payload: row.payload,
      hook: {
        id: hookId,
        scope: row.scope,
        type: row.type,
        url: row.url,
        contentType: row.content_type,
        sealedSecret: row.secret,
        sealedHeader: row.authorization_header,
        settings: JSON.parse(row.settings) as Record<string, string>,
      },
    }
  )
}

export async function hasWaitingDeliveries(db: Db, hookId: number): Promise<boolean> {
  const row = await db
    .selectFrom('hook_delivery')
    .select('id')
    .where('hook_id', '=', hookId)
    .where('state', '=', 'waiting')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

type AttemptColumns = Omit<
  Selectable<HookDeliveryTable>,
  'id' | 'uuid' | 'hook_id' | 'message_id' | 'queued_at' | 'created_at'
>

/** Does nothing for a delivery that was deleted or that another process has delivered. */
export async function updateDelivery(tx: Tx, id: number, values: AttemptColumns): Promise<void> {
  await tx.updateTable('hook_delivery').set(values).where('id', '=', id).where('state', '=', 'waiting').execute()
}

/** Gives up all deliveries of a webhook that have waited since before then; returns how many. */
export async function buryDeliveries(
  tx: Tx,
  hookId: number,
  { queuedBefore, now }: { queuedBefore: number; now: number },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('hook_delivery')
    .set({ state: 'dead', finished_at: now })
    .where('hook_id', '=', hookId)
    .where('state', '=', 'waiting')
    .where('queued_at', '<=', queuedBefore)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}
