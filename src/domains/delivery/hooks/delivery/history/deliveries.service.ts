import type { Core } from '../../../../../core/module.ts'
import { type Actor, commandLine } from '../../../../../core/access/viewer.ts'
import { afterCommit } from '../../../../../core/db/database.ts'
import { invalid, notFound } from '../../../../../core/platform/errors.ts'
import { errors } from '../../../../errors.ts'
import type { Page, Paging } from '../../../../../core/platform/paging.ts'
import { originOfHook, payloadOfHook } from '../../hook-payload.ts'
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
import { makeLaneDue, wakeLanes } from '../send/lane.store.ts'
import { type MessageQueue, originOf } from '../message-queue.ts'

const REQUEUED_AT_ONCE = 500

interface DeliveryRef {
  readonly hookId: number
  readonly uuid: string
}

interface DeliveriesDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly queue: MessageQueue
  /** Called when deliveries are due. */
  wake(): void
}

export type Deliveries = ReturnType<typeof createDeliveries>

/** The history of webhooks and their queue (behaviour/orgs-webhooks-actions#history-of-deliveries). */
export function createDeliveries({ database, clock, events, queue, wake }: DeliveriesDeps) {
  const requireHook = async (owner: HookOwner, id: number, db = database.read): Promise<Webhook> => {
    const hook = await findWebhook(db, owner, id)
    if (hook === undefined) throw errors.webhookNotFound()
    return hook
  }
  const requireDelivery = async (hookId: number, uuid: string): Promise<DeliveryDetails> => {
    const delivery = await findDelivery(database.read, hookId, uuid)
    if (delivery === undefined) throw errors.deliveryNotFound()
    return delivery
  }
  const requeueSome = (actor: Actor, which: { uuid?: string; limit: number }): Promise<number> =>
    database.transaction(async (tx) => {
      const dead = await lockDeadDeliveries(database, tx, which)
      if (dead.length === 0) return 0
      const now = clock.now()
      await requeueDeliveries(
        tx,
        dead.map(({ id }) => id),
        now,
      )
      const urls = await loadHookUrls(tx, [...new Set(dead.map(({ hookId }) => hookId))])
      const lanes = [...urls].map(([hookId, url]) => ({ hookId, origin: originOf(url) }))
      await wakeLanes(tx, lanes, now)
      for (const { hookId, origin } of lanes) await makeLaneDue(tx, hookId, origin, now)
      const payload = { uuid: which.uuid ?? '', count: dead.length }
      await events.append(tx, 'hook.requeued', { actor, repoId: 0, at: now }, payload)
      afterCommit(tx, wake)
      return dead.length
    })
  return {
    /** Latest first. Throws NotFound if the webhook has another owner. */
    async list(owner: HookOwner, hookId: number, paging: Paging): Promise<Page<DeliverySummary>> {
      await requireHook(owner, hookId)
      return listDeliveries(database.read, hookId, paging)
    },
    /** Throws NotFound. */
    async get(owner: HookOwner, hookId: number, uuid: string): Promise<DeliveryDetails> {
      await requireHook(owner, hookId)
      return requireDelivery(hookId, uuid)
    },
    /** Sends the same message again as a new delivery. Throws NotFound, and Invalid if the webhook is not active. */
    async redeliver(actor: Actor, owner: HookOwner, { hookId, uuid }: DeliveryRef): Promise<DeliveryDetails> {
      const again = await database.transaction(async (tx) => {
        const hook = await requireHook(owner, hookId, tx)
        const messageId = await lockDeliveryMessage(database, tx, hookId, uuid)
        if (messageId === undefined) throw errors.deliveryNotFound()
        if (!hook.isActive) throw invalid('the webhook is not active')
        const changed = { owner, hook }
        const origin = originOfHook(actor, changed, clock.now())
        await events.append(tx, 'hook.redelivered', origin, { ...payloadOfHook(changed), uuid })
        return queue.addAgain(tx, messageId, hook)
      })
      return requireDelivery(hookId, again)
    },
    /** Dead deliveries of all webhooks, latest first. */
    listDead: (paging: Paging): Promise<Page<DeliverySummary>> => listDeadDeliveries(database.read, paging),
    /**
     * Queues a dead delivery again with the full retry time; the default actor is the command line. Throws NotFound if
     * no dead delivery has this uuid.
     */
    async requeue(uuid: string, actor: Actor = commandLine): Promise<void> {
      if ((await requeueSome(actor, { uuid, limit: 1 })) === 0) throw notFound('no dead delivery has this uuid')
    },
    /** Queues all dead deliveries again; returns their number. */
    async requeueAll(actor: Actor = commandLine): Promise<number> {
      let total = 0
      for (;;) {
        const count = await requeueSome(actor, { limit: REQUEUED_AT_ONCE })
        total += count
        if (count < REQUEUED_AT_ONCE) return total
      }
    },
    count: (): Promise<QueueCounts> => countQueue(database.read),
  }
}
