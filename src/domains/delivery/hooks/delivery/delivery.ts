import type { Config } from '../../../../core/config/index.ts'
import type { EventKind, Projections, Subscriptions } from '../../../../core/events/index.ts'
import type { JobDefinitions, ScheduledTask } from '../../../../core/jobs/index.ts'
import {
  createHostGuard,
  createOutgoingClient,
  type OutgoingClient,
  type OutgoingProxy,
  parseHostNames,
} from '../../../../core/platform/outgoing/index.ts'
import { Signal } from '../../../../core/platform/concurrency/signal.ts'
import { INGOT_VERSION } from '../../../../core/platform/version.ts'
import type { Core, Worker } from '../../../../core/module.ts'
import type { BuildMessages } from '../payloads/payload.ts'
import { createDeliveries, type Deliveries } from './history/deliveries.service.ts'
import { createDeliveryJobs, deliveryTasks } from './history/delivery.jobs.ts'
import { earlyBuildProjections } from '../hooks.projection.ts'
import { deliverySubscriptions } from './delivery.subscriber.ts'
import { Deliverer } from './send/deliverer.ts'
import { createMessageQueue, type MessageQueue } from './message-queue.ts'
import { MessageWorker } from './message-worker.ts'
import { createSender } from './send/sender.ts'

const HOUR_MS = 3_600_000
/** Limits of webhooks and their deliveries. */
const LIMITS = {
  /** Webhooks of one repository or account, or of the site. */
  perOwner: 100,
  /** Concurrent deliveries, at most half of them for one account. */
  inFlight: 64,
  /** Concurrent deliveries to one server; each webhook has one at a time. */
  inFlightPerHost: 16,
  /** Hours for which a failing delivery is retried. */
  retryHours: 24,
  /** Days for which ended deliveries can be read. */
  historyDays: 7,
  /** The latest ended deliveries of one webhook that can be read. */
  historyPerHook: 1000,
}
export type HookLimits = typeof LIMITS
export const hookLimits = (tuning: Core['tuning']): HookLimits => ({ ...LIMITS, ...tuning.hooks })

/** Time for running deliveries to end at a shutdown; unfinished ones are sent again after the next start. */
const STOP_MS = 2_000

/** The path from events to the receivers of webhooks. */
export interface Delivery {
  readonly deliveries: Deliveries
  readonly queue: MessageQueue
  readonly projections: Projections
  readonly subscriptions: Subscriptions
  readonly jobs: JobDefinitions
  readonly tasks: readonly ScheduledTask[]
  readonly workers: readonly Worker[]
  close(): Promise<void>
}

export function createDelivery(
  { config, database, clock, events, log, jobs, processes, secrets, tuning }: Core,
  builders: ReadonlyMap<EventKind, BuildMessages>,
): Delivery {
  const settings = config.webhook
  const limits = hookLimits(tuning)
  const client = createClient(settings)
  const deliverer = new Deliverer({
    database,
    clock,
    log,
    members: processes,
    sender: createSender({ client, secrets, clock, timeout: settings.deliver_timeout * 1000 }),
    limits: { total: limits.inFlight, perOrigin: limits.inFlightPerHost },
    retryMs: limits.retryHours * HOUR_MS,
    graceMs: Math.min(STOP_MS, config.server.shutdown_timeout * 1000),
  })
  const enqueued = new Signal('deliveries', processes)
  const wake = (): void => deliverer.wake()
  enqueued.listen(wake)
  const queue = createMessageQueue({ clock, onEnqueued: () => enqueued.emit() })
  const siteOnly = settings.disabled
  const messages = new MessageWorker({
    database,
    clock,
    log,
    members: processes,
    queue,
    siteOnly,
    builderOf: (kind) => builders.get(kind),
  })
  return {
    deliveries: createDeliveries({ database, clock, events, queue, wake }),
    queue,
    jobs: createDeliveryJobs({ database, clock, days: limits.historyDays, perHook: limits.historyPerHook }),
    tasks: deliveryTasks(jobs),
    workers: [messages, deliverer],
    projections: earlyBuildProjections({ builders, log, siteOnly }),
    subscriptions: deliverySubscriptions({
      kinds: [...builders.keys()],
      siteOnly,
      onInserted: () => messages.wake(),
    }),
    close: () => client.close(),
  }
}

function createClient(settings: Config['webhook']): OutgoingClient {
  const proxy = proxyOf(settings)
  return createOutgoingClient({
    guard: createHostGuard(settings.allowed_hosts, 'webhook.allowed_hosts'),
    userAgent: `Ingot/${INGOT_VERSION}`,
    skipTlsVerify: settings.skip_tls_verify,
    ...(proxy && { proxy }),
  })
}

function proxyOf({ proxy_url: url, proxy_hosts: hosts }: Config['webhook']): OutgoingProxy | undefined {
  if (url === '') return undefined
  if (!URL.canParse(url)) throw new Error('webhook.proxy_url: not an address')
  try {
    return { url: new URL(url), serves: parseHostNames(hosts) }
  } catch (error) {
    throw new Error(`webhook.proxy_hosts: ${(error as Error).message}`, { cause: error })
  }
}
