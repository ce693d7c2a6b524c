import { freeLeasesOfEnded } from '../../../../../core/db/ended-leases.ts'
import { retryUntilAvailable } from '../../../../../core/db/retry-until-available.ts'
import type { Members } from '../../../../../core/platform/concurrency/processes.ts'
import { WorkerLoop } from '../../../../../core/platform/process/worker-loop.ts'
import type { Core, Worker } from '../../../../../core/module.ts'
import { listNextDeliveries, type NextDelivery, type PendingDelivery, findPayload } from './delivery.store.ts'
import { extendLaneLeases, freeLanesOf, type Lane, leaseLanes, listDueLanes, listLaneHolders } from './lane.store.ts'
import { type InFlightLimits, LanesInFlight } from './lanes-in-flight.ts'
import { createRecords, type Records } from './record-attempt.ts'
import type { Sender } from './sender.ts'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../../../../core/db/database.ts'

/** The maximum number of characters of all texts together. */
const MAX_SIZE = 4 * 1024 * 1024

/**
 * Caches the JSON texts of messages, read once for all their webhooks. A message never changes, so no entry is stale.
 */
class PayloadCache {
  readonly #db: Db
  readonly #loading = new Map<number, Promise<string | undefined>>()
  readonly #texts = new LRUCache<number, string>({ maxSize: MAX_SIZE, sizeCalculation: (text) => text.length + 1 })

  constructor(db: Db) {
    this.#db = db
  }

  /** Undefined when the message was deleted with its deliveries. */
  async load(messageId: number): Promise<string | undefined> {
    const known = this.#texts.get(messageId)
    if (known !== undefined) return known
    // NOTE: webhooks of one message usually load it at the same time.
    let loading = this.#loading.get(messageId)
    if (loading === undefined) {
      loading = this.#find(messageId).finally(() => this.#loading.delete(messageId))
      this.#loading.set(messageId, loading)
    }
    return loading
  }

  async #find(messageId: number): Promise<string | undefined> {
    const text = await findPayload(this.#db, messageId)
    // NOTE: the cache ignores a text that is larger than its maximum size.
    if (text !== undefined) this.#texts.set(messageId, text)
    return text
  }
}

const INTERVAL_MS = 1_000
const LEASE_MS = 10_000
const HEARTBEAT_MS = 3_000
/** Deliveries, or milliseconds, after which a lane yields to others. */
const TURN = 20
const TURN_MS = 5_000

interface DelivererDeps extends Pick<Core, 'database' | 'clock' | 'log'> {
  readonly members: Members
  readonly sender: Sender
  readonly limits: InFlightLimits
  /** Milliseconds after which a delivery that fails is dead. */
  readonly retryMs: number
  /** Milliseconds for running deliveries to end when the process stops. */
  readonly graceMs: number
}

/**
 * Sends the deliveries of due lanes: one at a time per webhook, a few at a time per server. Each lane is leased to one
 * process; another process takes it over when that process has ended or the lease has expired.
 */
export class Deliverer implements Worker {
  readonly #deps: DelivererDeps
  readonly #holder: string
  readonly #inFlight: LanesInFlight
  readonly #records: Records
  readonly #payloads: PayloadCache
  readonly #loop: WorkerLoop
  readonly #abort = new AbortController()
  #heartbeat: NodeJS.Timeout | undefined
  #stopFreeing: (() => void) | undefined
  #isStopping = false

  constructor(deps: DelivererDeps) {
    this.#deps = deps
    this.#holder = deps.members.self
    this.#inFlight = new LanesInFlight(deps.limits)
    this.#records = createRecords({
      ...deps,
      holder: this.#holder,
      underWay: () => this.#inFlight.size,
      signal: this.#abort.signal,
    })
    this.#payloads = new PayloadCache(deps.database.read)
    this.#loop = new WorkerLoop({ work: () => this.#takeSome(), interval: INTERVAL_MS, log: deps.log })
  }

  start(): void {
    this.#stopFreeing ??= freeLeasesOfEnded(this.#deps, {
      listHolders: listLaneHolders,
      free: freeLanesOf,
      onFreed: () => this.wake(),
    })
    this.#heartbeat = setInterval(() => void this.#extend(), HEARTBEAT_MS).unref()
    this.#loop.start()
  }

  /** Checks for due lanes. */
  wake(): void {
    this.#loop.wake()
  }

  /** Waits a short time for running deliveries and aborts the rest, which is sent again later. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#stopFreeing?.()
    await this.#loop.stop()
    const late = setTimeout(() => this.#abort.abort(new Error('the server stops')), this.#deps.graceMs)
    await this.#inFlight.allDone()
    clearTimeout(late)
    clearInterval(this.#heartbeat)
    await this.#deps.database.transaction((tx) => freeLanesOf(tx, [this.#holder])).catch(() => {})
  }

  async drain(): Promise<boolean> {
    let worked = false
    while ((await this.#takeSome()) || this.#inFlight.size > 0) {
      worked = true
      await this.#inFlight.allDone()
    }
    return worked
  }

  async #takeSome(): Promise<boolean> {
    const { database, clock } = this.#deps
    if (this.#isStopping || this.#inFlight.isFull) return false
    const times = { now: clock.now(), leaseMs: LEASE_MS, takesOver: !this.#loop.isJustBack }
    const due = await listDueLanes(database.read, times, this.#inFlight.choice())
    const chosen = this.#inFlight.choose(due)
    if (chosen.length === 0) return false
    const { taken, next } = await database.transaction(async (tx) => {
      const ids = chosen.map(({ hookId }) => hookId)
      const leased = await leaseLanes(tx, ids, { ...times, holder: this.#holder })
      return { taken: leased, next: await listNextDeliveries(tx, [...leased]) }
    })
    for (const lane of chosen)
      if (taken.has(lane.hookId))
        this.#inFlight.add(lane, this.#work(lane, next.get(lane.hookId)), () => this.#loop.wake())
    return true
  }

  async #work(lane: Lane, first: NextDelivery | undefined): Promise<void> {
    const { log, sender } = this.#deps
    const start = performance.now()
    try {
      let [current, next] = [lane, first]
      if (next?.hook.isActive !== true) return await this.#records.releaseLane(lane.hookId)
      for (let count = 1; next !== undefined; count++) {
        const { messageId } = next
        const payload = await retryUntilAvailable(() => this.#payloads.load(messageId), this.#abort.signal)
        // The webhook was deleted.
        if (payload === undefined) return await this.#records.releaseLane(lane.hookId)
        const delivery: PendingDelivery = { ...next, payload }
        const attempt = await sender.send(delivery, this.#abort.signal)
        next = await this.#records.attempt({
          lane: current,
          delivery,
          attempt,
          endsTurn: count >= TURN || performance.now() - start >= TURN_MS || this.#isStopping,
        })
        current = { ...lane, failures: 0, lastStatus: 'delivered', isSuspect: false }
      }
    } catch (error) {
      // The lease expires, and the delivery is sent again.
      if (!this.#abort.signal.aborted) log.error({ err: error, hook: lane.hookId }, 'failed to deliver a webhook')
    }
  }

  async #extend(): Promise<void> {
    const { database, clock, log } = this.#deps
    const lanes = this.#inFlight.hookIds()
    if (lanes.length === 0) return
    try {
      await database.transaction((tx) => extendLaneLeases(tx, this.#holder, lanes, clock.now() + LEASE_MS))
    } catch (error) {
      log.warn({ err: error }, 'failed to extend the leases of webhooks')
    }
  }
}
