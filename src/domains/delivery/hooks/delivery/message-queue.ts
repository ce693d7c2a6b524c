import type { Core } from '../../../../core/module.ts'
import { randomUUID } from 'node:crypto'
import { afterCommit, type Tx } from '../../../../core/db/database.ts'
import type { HookMessage } from '../payloads/payload.ts'
import { insertDeliveries, insertMessages, type NewDelivery } from './send/delivery.store.ts'
import { makeLaneDue, wakeLanes } from './send/lane.store.ts'

/** A message with the webhooks that receive it, in order. */
export interface AddressedMessage {
  readonly message: HookMessage
  readonly hooks: readonly { readonly id: number; readonly url: string }[]
}

type AddressedHook = AddressedMessage['hooks'][number]

interface MessageQueueDeps extends Pick<Core, 'clock'> {
  /** Called after deliveries are enqueued. */
  onEnqueued(): void
}

/** Scheme, host and port, by which deliveries are limited. */
export const originOf = (url: string): string => URL.parse(url)?.origin ?? ''

export type MessageQueue = ReturnType<typeof createMessageQueue>

export function createMessageQueue({ clock, onEnqueued }: MessageQueueDeps) {
  async function enqueue(tx: Tx, rows: readonly NewDelivery[], hooks: readonly AddressedHook[]): Promise<void> {
    if (rows.length === 0) return
    await insertDeliveries(tx, rows)
    const lanes = new Map(hooks.map(({ id, url }) => [id, { hookId: id, origin: originOf(url) }]))
    await wakeLanes(tx, [...lanes.values()], clock.now())
    afterCommit(tx, onEnqueued)
  }

  const deliveryOf = (messageId: number, hookId: number): NewDelivery => ({
    uuid: randomUUID(),
    hook_id: hookId,
    message_id: messageId,
    queued_at: clock.now(),
    created_at: clock.now(),
  })

  return {
    /** Inserts messages with a delivery for each webhook. */
    async add(tx: Tx, messages: readonly AddressedMessage[]): Promise<void> {
      const sent = messages.filter(({ hooks }) => hooks.length > 0)
      const ids = await insertMessages(
        tx,
        sent.map(({ message }) => message),
        clock.now(),
      )
      await enqueue(
        tx,
        sent.flatMap(({ hooks }, index) => hooks.map(({ id }) => deliveryOf(ids[index]!, id))),
        sent.flatMap(({ hooks }) => hooks),
      )
    },

    /**
     * Sends a message again; returns the uuid of the new delivery. A webhook that waits after failures is tried at
     * once.
     */
    async addAgain(tx: Tx, messageId: number, hook: AddressedHook): Promise<string> {
      const row = deliveryOf(messageId, hook.id)
      await enqueue(tx, [row], [hook])
      await makeLaneDue(tx, hook.id, originOf(hook.url), clock.now())
      return row.uuid
    },
  }
}
