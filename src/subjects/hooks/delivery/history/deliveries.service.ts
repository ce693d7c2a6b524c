import { afterCommit, type Database } from '../../../../db/database.ts'
import type { Clock } from '../../../../platform/clock.ts'
import { invalid, notFound } from '../../../../platform/errors.ts'
import type { Page, Paging } from '../../../../platform/paging.ts'
import { findWebhook, type HookOwner, type Webhook } from '../../webhook.store.ts'
import { countQueue, type QueueCounts } from './delivery-counts.store.ts'
import {
  type DeliveryDetails,
  type DeliverySummary,
  findDelivery,
  listDeadDeliveries,
  listDeliveries,
  loadHookUrls,
  lockDeadDeliveries,
  lockDeliveryMessage,
  requeueDeliveries,
} from './history.store.ts'
import { hurryLane, wakeLanes } from '../send/lane.store.ts'
import { type MessageQueue, originOf } from '../message-queue.ts'

const REQUEUED_AT_ONCE = 500

/** The history of webhooks and their queue (behaviour/orgs-webhooks-actions#history-of-deliveries). */
export interface Deliveries {
  /** The latest first. Throws NotFound if the webhook has another owner. */
  list(owner: HookOwner, hookId: number, paging: Paging): Promise<Page<DeliverySummary>>
  /** Throws NotFound. */
  get(owner: HookOwner, hookId: number, uuid: string): Promise<DeliveryDetails>
  /** Sends the same message again as a new delivery. Throws NotFound, and Invalid if the webhook is not active. */
  redeliver(owner: HookOwner, hookId: number, uuid: string): Promise<DeliveryDetails>
  /** Of all webhooks, the latest first. */
  listDead(paging: Paging): Promise<Page<DeliverySummary>>
  /** Lets a dead delivery be tried again for the whole time. Throws NotFound if no dead one has this uuid. */
  requeue(uuid: string): Promise<void>
  /** The same for all dead ones; returns how many there were. */
  requeueAll(): Promise<number>
  count(): Promise<QueueCounts>
}

interface DeliveriesDeps {
  readonly database: Database
  readonly clock: Clock
  readonly queue: MessageQueue
  /** Called once deliveries are due. */
  wake(): void
}

export function createDeliveries({ database, clock, queue, wake }: DeliveriesDeps): Deliveries {
  const requireHook = async (owner: HookOwner, id: number, db = database.read): Promise<Webhook> => {
    const hook = await findWebhook(db, owner, id)
    if (hook === undefined) throw notFound('webhook does not exist')
    return hook
  }
  const requireDelivery = async (hookId: number, uuid: string): Promise<DeliveryDetails> => {
    const delivery = await findDelivery(database.read, hookId, uuid)
    if (delivery === undefined) throw notFound('delivery does not exist')
    return delivery
  }
  const requeueSome = (which: { uuid?: string; limit: number }): Promise<number> =>
    database.transaction(async (tx) => {
      const dead = await lockDeadDeliveries(database, tx, which)
      const now = clock.now()
      await requeueDeliveries(
        tx,
        dead.map(({ id }) => id),
        now,
      )
      const urls = await loadHookUrls(tx, [...new Set(dead.map(({ hookId }) => hookId))])
      const lanes = [...urls].map(([hookId, url]) => ({ hookId, origin: originOf(url) }))
      await wakeLanes(tx, lanes, now)
      for (const { hookId, origin } of lanes) await hurryLane(tx, hookId, origin, now)
      afterCommit(tx, wake)
      return dead.length
    })
  return {
    async list(owner, hookId, paging) {
      await requireHook(owner, hookId)
      return listDeliveries(database.read, hookId, paging)
    },
    async get(owner, hookId, uuid) {
      await requireHook(owner, hookId)
      return requireDelivery(hookId, uuid)
    },
    async redeliver(owner, hookId, uuid) {
      const again = await database.transaction(async (tx) => {
        const hook = await requireHook(owner, hookId, tx)
        const messageId = await lockDeliveryMessage(database, tx, hookId, uuid)
        if (messageId === undefined) throw notFound('delivery does not exist')
        if (!hook.isActive) throw invalid('the webhook is not active')
        return queue.addAgain(tx, messageId, hook)
      })
      return requireDelivery(hookId, again)
    },
    listDead: (paging) => listDeadDeliveries(database.read, paging),
    async requeue(uuid) {
      if ((await requeueSome({ uuid, limit: 1 })) === 0) throw notFound('no dead delivery has this uuid')
    },
    async requeueAll() {
      let total = 0
      for (;;) {
        const count = await requeueSome({ limit: REQUEUED_AT_ONCE })
        total += count
        if (count < REQUEUED_AT_ONCE) return total
      }
    },
    count: () => countQueue(database.read),
  }
}
