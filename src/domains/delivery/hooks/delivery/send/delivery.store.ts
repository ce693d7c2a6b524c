import { type Selectable, sql } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../../core/db/database.ts'
import type { JsonColumns } from '../../../../../core/db/dialect/dialect.ts'
import { defineQuery } from '../../../../../core/db/prepared-statement.ts'
import type { HookMessage } from '../../payloads/payload.ts'
import type { HookScope, HookDeliveryTable, HookMessageTable } from '../../hooks.table.ts'

/** One attempt to send a delivery, as stored in its history. */
export interface PastAttempt {
  /** Epoch milliseconds. */
  readonly at: number
  /** 0 if there was no response. */
  readonly status: number
  readonly duration_ms: number
  /** Empty for success. */
  readonly error: string
}

/** A delivery to be sent, with its webhook. Secret and header are encrypted. */
export interface NextDelivery {
  readonly id: number
  readonly uuid: string
  readonly attempts: number
  readonly queuedAt: number
  readonly history: readonly PastAttempt[]
  readonly messageId: number
  readonly event: string
  readonly eventType: string
  readonly action: string
  readonly hook: {
    readonly id: number
    readonly isActive: boolean
    readonly scope: HookScope
    readonly type: string
    readonly url: string
    readonly contentType: 'json' | 'form'
    readonly sealedSecret: string
    readonly sealedHeader: string
    readonly settings: Readonly<Record<string, string>>
  }
}

/** A delivery with the JSON text of its message. */
export interface PendingDelivery extends NextDelivery {
  readonly payload: string
}

/** Returns the ids of the messages, in their order. A push of many refs has a message for each. */
export async function insertMessages(tx: Tx, messages: readonly HookMessage[], now: number): Promise<number[]> {
  const ids: number[] = []
  for (const part of inParts(tx, messages)) {
    const rows = part.map(({ event, eventType, action = '', payload }) => ({
      event,
      event_type: eventType,
      action,
      payload: JSON.stringify(payload, null, 2),
      created_at: now,
    }))
    ids.push(...(await messageInsertion(tx, { rows })).map(({ id }) => id).toSorted((a, b) => a - b))
  }
  return ids
}

/** Columns of the rows that are inserted here. */
const COLUMNS = 5

/** Divides rows into parts of at most as many as one statement may insert. */
function* inParts<Row>(tx: Tx, rows: readonly Row[]): Generator<readonly Row[]> {
  const most = Math.floor(dialectOf(tx).chunkSize / COLUMNS)
  for (let start = 0; start < rows.length; start += most) yield rows.slice(start, start + most)
}

type NewMessage = Omit<Selectable<HookMessageTable>, 'id'>

const messageInsertion = defineQuery((db, { rows }: { rows: readonly NewMessage[] }) =>
  db.insertInto('hook_message').values(rows).returning('id'),
)

export type NewDelivery = Pick<
  Selectable<HookDeliveryTable>,
  'uuid' | 'hook_id' | 'message_id' | 'queued_at' | 'created_at'
>

/** Inserts deliveries in sending order. */
export async function insertDeliveries(tx: Tx, deliveries: readonly NewDelivery[]): Promise<void> {
  for (const rows of inParts(tx, deliveries)) await deliveryInsertion(tx, { rows })
}

const deliveryInsertion = defineQuery((db, { rows }: { rows: readonly NewDelivery[] }) =>
  db.insertInto('hook_delivery').values(rows),
)

/** The next delivery of each webhook that has one, by the id of the webhook. */
export async function listNextDeliveries(tx: Tx, hookIds: readonly number[]): Promise<Map<number, NextDelivery>> {
  if (hookIds.length === 0) return new Map()
  const next = dialectOf(tx).name === 'postgres' ? nextOfHooksLaterally : nextOfHooks
  const rows = await next(tx, { hookIds })
  return new Map(rows.map((row) => [row.hook_id, toNextDelivery(row)]))
}

const DELIVERY_COLUMNS = ['id', 'uuid', 'attempts', 'queued_at', 'history', 'message_id'] as const
const MESSAGE_COLUMNS = ['event', 'event_type', 'action'] as const
const HOOK_COLUMNS = [
  'webhook.id as hook_id',
  'webhook.is_active',
  'webhook.scope',
  'webhook.type',
  'webhook.url',
  'webhook.content_type',
  'webhook.secret',
  'webhook.authorization_header',
  'webhook.settings',
] as const
const nextOfHooks = defineQuery((db, { hookIds }: { hookIds: readonly number[] }) =>
  db
    .selectFrom('webhook')
    .innerJoin('hook_delivery', (join) =>
      join.on('hook_delivery.id', '=', (eb) =>
        eb
          .selectFrom('hook_delivery as first')
          .select('first.id')
          .whereRef('first.hook_id', '=', 'webhook.id')
          .where('first.state', '=', sql.lit('waiting'))
          .orderBy('first.id')
          .limit(1),
      ),
    )
    .innerJoin('hook_message', 'hook_message.id', 'hook_delivery.message_id')
    .select(DELIVERY_COLUMNS.map((column) => `hook_delivery.${column}` as const))
    .select(MESSAGE_COLUMNS.map((column) => `hook_message.${column}` as const))
    .select(HOOK_COLUMNS)
    .where('webhook.id', 'in', hookIds),
)

/** The same for PostgreSQL, which could otherwise reuse a plan with a full scan that it made for small tables. */
const nextOfHooksLaterally = defineQuery((db, { hookIds }: { hookIds: readonly number[] }) =>
  db
    .selectFrom('webhook')
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('hook_delivery as first')
          .select(DELIVERY_COLUMNS.map((column) => `first.${column}` as const))
          .whereRef('first.hook_id', '=', 'webhook.id')
          .where('first.state', '=', sql.lit('waiting'))
          .orderBy('first.id')
          .limit(1)
          .as('hook_delivery'),
      (join) => join.onTrue(),
    )
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('hook_message as message')
          .select(MESSAGE_COLUMNS.map((column) => `message.${column}` as const))
          .whereRef('message.id', '=', 'hook_delivery.message_id')
          .limit(1)
          .as('hook_message'),
      (join) => join.onTrue(),
    )
    .select(DELIVERY_COLUMNS.map((column) => `hook_delivery.${column}` as const))
    .select(MESSAGE_COLUMNS.map((column) => `hook_message.${column}` as const))
    .select(HOOK_COLUMNS)
    .where('webhook.id', 'in', hookIds),
)

type NextRow = Awaited<ReturnType<typeof nextOfHooks>>[number]

const toNextDelivery = (row: NextRow): NextDelivery => ({
  id: row.id,
  uuid: row.uuid,
  attempts: row.attempts,
  queuedAt: row.queued_at,
  history: JSON.parse(row.history) as PastAttempt[],
  messageId: row.message_id,
  event: row.event,
  eventType: row.event_type,
  action: row.action,
  hook: {
    id: row.hook_id,
    isActive: row.is_active === 1,
    scope: row.scope,
    type: row.type,
    url: row.url,
    contentType: row.content_type,
    sealedSecret: row.secret,
    sealedHeader: row.authorization_header,
    settings: JSON.parse(row.settings) as Record<string, string>,
  },
})

/** The JSON text of a message; undefined when it was deleted. */
export async function findPayload(db: Db, messageId: number): Promise<string | undefined> {
  const [row] = await payloadOf(db, { messageId })
  return row?.payload
}

const payloadOf = defineQuery((db, { messageId }: { messageId: number }) =>
  db.selectFrom('hook_message').select('payload').where('id', '=', messageId),
)

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

/** The columns of a delivery that an attempt changes. */
export type AttemptRow = Omit<
  Selectable<HookDeliveryTable>,
  'uuid' | 'hook_id' | 'message_id' | 'queued_at' | 'created_at'
>

/** Skips deliveries that were deleted or that another process has delivered. */
export async function updateDeliveries(tx: Tx, rows: readonly AttemptRow[]): Promise<void> {
  await attemptsUpdate(tx, { ids: rows.map(({ id }) => id), json: JSON.stringify(rows) })
}

const ATTEMPT_COLUMNS: JsonColumns<AttemptRow> = {
  id: 'bigint',
  state: 'text',
  attempts: 'bigint',
  finished_at: 'bigint',
  url: 'text',
  request_headers: 'text',
  request_body: 'text',
  response_status: 'bigint',
  response_headers: 'text',
  response_body: 'text',
  duration_ms: 'bigint',
  error: 'text',
  history: 'text',
}

const attemptsUpdate = defineQuery((db, { ids, json }: { ids: readonly number[]; json: string }) =>
  db
    .updateTable('hook_delivery')
    .from(dialectOf(db as Tx).jsonRows(json, ATTEMPT_COLUMNS))
    .set((eb) => ({
      state: eb.ref('rows.state'),
      attempts: eb.ref('rows.attempts'),
      finished_at: eb.ref('rows.finished_at'),
      url: eb.ref('rows.url'),
      request_headers: eb.ref('rows.request_headers'),
      request_body: eb.ref('rows.request_body'),
      response_status: eb.ref('rows.response_status'),
      response_headers: eb.ref('rows.response_headers'),
      response_body: eb.ref('rows.response_body'),
      duration_ms: eb.ref('rows.duration_ms'),
      error: eb.ref('rows.error'),
      history: eb.ref('rows.history'),
    }))
    .whereRef('hook_delivery.id', '=', 'rows.id')
    // NOTE: PostgreSQL overestimates the number of rows in a JSON text and would scan the whole table.
    .where('hook_delivery.id', 'in', ids)
    // NOTE: an expression prevents the use of the index on `state`, by which SQLite would read all waiting rows for
    // each of the ids.
    .where(sql<string>`hook_delivery.state || ''`, '=', sql.lit('waiting')),
)

/** Marks all deliveries of a webhook as dead that were queued before the time; returns their number. */
export async function markDeliveriesDead(
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
