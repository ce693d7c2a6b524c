import type { Selectable } from 'kysely'
import type { Database, Db, Tx } from '../../../../../core/db/database.ts'
import { selectPage } from '../../../../../core/db/page.ts'
import type { Page, Paging } from '../../../../../core/platform/paging.ts'
import type { PastAttempt } from '../send/delivery.store.ts'
import { bodyOf } from '../send/sender.ts'
import type { DeliveryState, HookDeliveryTable } from '../../hooks.table.ts'

/** A delivery without its request and response. Times are epoch milliseconds. */
export interface DeliverySummary {
  readonly id: number
  readonly uuid: string
  readonly hookId: number
  readonly event: string
  readonly eventType: string
  readonly action: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly createdAt: number
  /** 0 while the delivery waits. */
  readonly finishedAt: number
  /** 0 if there was no response. */
  readonly status: number
  readonly durationMs: number
  readonly error: string
  /** Address of the last attempt, or of the webhook before the first attempt. */
  readonly url: string
  readonly history: readonly PastAttempt[]
}

export interface DeliveryDetails extends DeliverySummary {
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly requestBody: string
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody: string
}

type SummaryRow = Pick<
  Selectable<HookDeliveryTable>,
  | 'id'
  | 'uuid'
  | 'hook_id'
  | 'state'
  | 'attempts'
  | 'created_at'
  | 'finished_at'
  | 'response_status'
  | 'duration_ms'
  | 'error'
  | 'url'
  | 'history'
> & { readonly event: string; readonly event_type: string; readonly action: string; readonly hook_url: string }

const toSummary = (row: SummaryRow): DeliverySummary => ({
  id: row.id,
  uuid: row.uuid,
  hookId: row.hook_id,
  event: row.event,
  eventType: row.event_type,
  action: row.action,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  status: row.response_status,
  durationMs: row.duration_ms,
  error: row.error,
  url: row.url === '' ? row.hook_url : row.url,
  history: JSON.parse(row.history) as PastAttempt[],
})

const summaries = (db: Db) =>
  db
    .selectFrom('hook_delivery')
    .innerJoin('hook_message', 'hook_message.id', 'hook_delivery.message_id')
    .innerJoin('webhook', 'webhook.id', 'hook_delivery.hook_id')
    .select(['hook_delivery.id', 'hook_delivery.uuid', 'hook_delivery.hook_id', 'hook_delivery.state'])
    .select(['hook_delivery.attempts', 'hook_delivery.created_at', 'hook_delivery.finished_at'])
    .select(['hook_delivery.response_status', 'hook_delivery.duration_ms', 'hook_delivery.error'])
    .select(['hook_delivery.url', 'hook_delivery.history', 'webhook.url as hook_url'])
    .select(['hook_message.event', 'hook_message.event_type', 'hook_message.action'])

/** Latest first. */
export const listDeliveries = (db: Db, hookId: number, paging: Paging): Promise<Page<DeliverySummary>> =>
  selectPage(
    summaries(db).where('hook_delivery.hook_id', '=', hookId).orderBy('hook_delivery.id', 'desc'),
    paging,
    toSummary,
  )

/** Dead deliveries of all webhooks, latest first. */
export const listDeadDeliveries = (db: Db, paging: Paging): Promise<Page<DeliverySummary>> =>
  selectPage(
    summaries(db).where('hook_delivery.state', '=', 'dead').orderBy('hook_delivery.id', 'desc'),
    paging,
    toSummary,
  )

export async function findDelivery(db: Db, hookId: number, uuid: string): Promise<DeliveryDetails | undefined> {
  const row = await summaries(db)
    .select(['hook_delivery.request_headers', 'hook_delivery.request_body', 'hook_message.payload'])
    .select(['hook_delivery.response_headers', 'hook_delivery.response_body'])
    .where('hook_delivery.uuid', '=', uuid)
    .where('hook_delivery.hook_id', '=', hookId)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const requestHeaders = JSON.parse(row.request_headers) as Record<string, string>
  return {
    ...toSummary(row),
    requestHeaders,
    requestBody: row.request_body === '' ? bodyOf(row.payload, requestHeaders) : row.request_body,
    responseHeaders: JSON.parse(row.response_headers) as Record<string, string>,
    responseBody: row.response_body,
  }
}

/** Locks the message of a delivery of this webhook until the transaction ends. */
export async function lockDeliveryMessage(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  hookId: number,
  uuid: string,
): Promise<number | undefined> {
  const delivery = tx
    .selectFrom('hook_delivery')
    .select('message_id')
    .where('uuid', '=', uuid)
    .where('hook_id', '=', hookId)
  return (await dialect.lockRows(delivery).executeTakeFirst())?.message_id
}

/** Locks one dead delivery, or some of all, oldest first. */
export async function lockDeadDeliveries(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  which: { readonly uuid?: string | undefined; readonly limit: number },
): Promise<{ readonly id: number; readonly hookId: number }[]> {
  const dead = tx
    .selectFrom('hook_delivery')
    .select(['id', 'hook_id'])
    .where('state', '=', 'dead')
    .$if(which.uuid !== undefined, (query) => query.where('uuid', '=', which.uuid!))
    .orderBy('id')
    .limit(which.limit)
  const rows = await dialect.lockRows(dead).execute()
  return rows.map((row) => ({ id: row.id, hookId: row.hook_id }))
}

export async function requeueDeliveries(tx: Tx, ids: readonly number[], now: number): Promise<void> {
  if (ids.length === 0) return
  await tx
    .updateTable('hook_delivery')
    .set({ state: 'waiting', queued_at: now, finished_at: 0 })
    .where('id', 'in', [...ids])
    .execute()
}

/** Addresses of webhooks by id. */
export async function loadHookUrls(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('webhook')
    .select(['id', 'url'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map((row) => [row.id, row.url]))
}
