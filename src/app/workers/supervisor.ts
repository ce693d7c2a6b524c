import cluster, { type Worker } from 'node:cluster'
import { randomHex } from '../../platform/crypto/crypto.ts'
import type { Logger } from '../../platform/logger.ts'
import { Exchange, type Peer } from './exchange.ts'
import type { FromWorker } from './messages.ts'

interface SupervisorOptions {
  /** Worker processes that serve side by side. */
  readonly count: number
  readonly log: Logger
  /** Seconds that running requests get to finish. */
  readonly shutdownTimeout: number
}

interface Member {
  readonly worker: Worker
  readonly peer: Peer
  readonly slot: number
  readonly isReady: Promise<boolean>
  readonly hasEnded: Promise<void>
  /** It accepts connections. */
  isServing: boolean
  /** It was asked to stop: it is not replaced. */
  isLeaving: boolean
}

interface Exit {
  readonly code: number | null
  readonly signal: string | null
  readonly livedMs: number
}

const MIN_PAUSE_MS = 200
const MAX_PAUSE_MS = 30_000
/** A worker that lived this long was not stopped by what stops every start. */
const HEALTHY_MS = 60_000
/** Seconds after the shutdown timeout until a worker is killed. */
const GRACE_SECONDS = 10

/**
 * Runs worker processes that accept connections on the same ports. A worker that ends is replaced; one of them, the
 * leader, runs events, jobs and the schedule. What workers share is in this process, which serves no requests.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #exchange = new Exchange()
  readonly #members = new Set<Member>()
  readonly #startedAt = performance.timeOrigin + performance.now()
  readonly #run = randomHex(8)
  #leader: Member | undefined
  #isFirst = true
  #isStopping = false
  /** Before the next replacement; none after a worker that was healthy. */
  #pauseMs = 0
  #restarting: Promise<void> | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
    // NOTE: workers accept connections themselves. One that the supervisor hands to a worker that is killed would stay
    // open without an answer for ever.
    cluster.schedulingPolicy = cluster.SCHED_NONE
  }

  /** Resolves with false when the first worker ended before it served: what stopped it would stop the others. */
  async start(): Promise<boolean> {
    const first = this.#fork()
    if (!(await first.isReady)) return false
    this.#isFirst = false
    const others = Array.from({ length: this.#options.count - 1 }, () => this.#fork())
    await Promise.all(others.map((member) => member.isReady))
    return true
  }

  /** Replaces the workers one after the other, each when its successor accepts connections. */
  restart(): Promise<void> {
    this.#restarting ??= this.#replaceAll().finally(() => {
      this.#restarting = undefined
    })
    return this.#restarting
  }

  /** All workers will be stopped soon. */
  announceStop(): void {
    this.#isStopping = true
    for (const { peer } of this.#members) peer.send({ kind: 'stopping' })
  }

  /** Lets the workers finish what runs. */
  async stop(): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#members].map((member) => this.#end(member)))
  }

  kill(): void {
    this.#isStopping = true
    for (const { worker } of this.#members) worker.process.kill('SIGKILL')
  }

  async #replaceAll(): Promise<void> {
    const former = [...this.#members]
    for (const old of former) {
      if (this.#isStopping) return
      if (old.isLeaving) continue
      const successor = this.#fork()
      if (!(await successor.isReady)) {
        this.#options.log.error({ pid: old.worker.process.pid }, 'a new worker did not start; the old ones stay')
        return
      }
      await this.#end(old)
    }
  }

  async #end(member: Member): Promise<void> {
    member.isLeaving = true
    if (this.#leader === member) this.#lead()
    member.peer.send({ kind: 'stop' })
    const timer = setTimeout(
      () => member.worker.process.kill('SIGKILL'),
      (this.#options.shutdownTimeout + GRACE_SECONDS) * 1000,
    )
    await member.hasEnded
    clearTimeout(timer)
  }

  #fork(): Member {
    const worker = cluster.fork()
    const startedAt = performance.now()
    const ready = Promise.withResolvers<boolean>()
    const ended = Promise.withResolvers<void>()
    const peer: Peer = {
      id: worker.id,
      send: (message) => {
        // NOTE: the channel closes before the exit is reported; the worker is about to be removed then.
        if (worker.isConnected()) worker.send(message, undefined, () => {})
      },
    }
    const member: Member = {
      worker,
      peer,
      slot: this.#freeSlot(),
      isReady: ready.promise,
      hasEnded: ended.promise,
      isServing: false,
      isLeaving: false,
    }
    this.#members.add(member)
    this.#exchange.add(peer)
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'hello') this.#welcome(member)
      else if (message.kind === 'ready') {
        member.isServing = true
        this.#options.log.info({ pid: worker.process.pid }, 'a worker serves')
        ready.resolve(true)
        if (this.#leader === undefined) this.#lead()
      } else this.#exchange.receive(peer, message)
    })
    worker.once('exit', (code: number | null, signal: string | null) => {
      this.#members.delete(member)
      this.#exchange.remove(peer, code !== 0)
      ready.resolve(false)
      ended.resolve()
      if (this.#leader === member) this.#lead()
      if (!member.isLeaving) this.#replace(worker, { code, signal, livedMs: performance.now() - startedAt })
    })
    return member
  }

  #welcome({ peer, slot }: Member): void {
    const { count } = this.#options
    const { id } = peer
    const others = this.#exchange.ids.filter((other) => other !== id)
    const [run, startedAt, isFirst] = [this.#run, this.#startedAt, this.#isFirst]
    peer.send({ kind: 'welcome', count, slot, id, others, run, startedAt, isFirst })
  }

  #freeSlot(): number {
    const taken = new Set([...this.#members].map(({ slot }) => slot))
    let slot = 0
    while (taken.has(slot)) slot++
    return slot
  }

  /** Makes another worker the leader; the next one that serves when there is none. */
  #lead(): void {
    this.#leader = [...this.#members].find(({ isServing, isLeaving }) => isServing && !isLeaving)
    this.#leader?.peer.send({ kind: 'lead' })
  }

  #replace({ process }: Worker, { code, signal, livedMs }: Exit): void {
    if (this.#isStopping || this.#isFirst) return
    const pause = livedMs > HEALTHY_MS ? 0 : Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, this.#pauseMs * 2))
    this.#pauseMs = pause
    this.#options.log.error({ pid: process.pid, code, signal, pause }, 'a worker ended and is replaced')
    setTimeout(() => {
      if (!this.#isStopping) this.#fork()
    }, pause)
  }
}
