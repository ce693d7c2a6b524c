import { randomHex } from '../../core/platform/crypto/crypto.ts'
import type { Logger } from '../../core/platform/logger.ts'
import { Exchange, type Peer } from './messages.ts'
import type { Exit, WorkerProcess } from './fork-worker.ts'

interface SupervisorOptions {
  /** Number of worker processes. */
  readonly count: number
  readonly log: Logger
  /** Seconds for running requests to finish. */
  readonly shutdownTimeout: number
  fork(): WorkerProcess
}

interface Member {
  readonly worker: WorkerProcess
  readonly peer: Peer
  readonly slot: number
  /** `performance.now()` of its start. */
  readonly startedAt: number
  readonly isReady: Promise<boolean>
  readonly hasEnded: Promise<void>
  /** Whether it accepts connections. */
  isServing: boolean
  /** Whether it was asked to stop; it is then not replaced. */
  isLeaving: boolean
}

const MIN_PAUSE_MS = 200
const MAX_PAUSE_MS = 30_000
/** A worker that ran this long did not fail because of a permanent error. */
const HEALTHY_MS = 60_000
/** Seconds between the shutdown timeout and the kill of a worker. */
const GRACE_SECONDS = 10
/** Number of consecutive failed starts, with no worker serving, after which the server exits. */
const MAX_FAILED_STARTS = 6

/**
 * Runs worker processes that accept connections on the same ports and replaces those that exit. One of them, the
 * leader, runs events, jobs and the schedule. This process holds their shared state and serves no requests.
 */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #exchange = new Exchange()
  readonly #members = new Set<Member>()
  readonly #startedAt = performance.timeOrigin + performance.now()
  readonly #run = randomHex(8)
  readonly #started = Promise.withResolvers<boolean>()
  readonly #failed = Promise.withResolvers<void>()
  #leader: Member | undefined
  #isFirst = true
  #isStopping = false
  /** Pause before the next replacement; 0 after a healthy worker. */
  #pauseMs = 0
  /** Timer for the replacement of workers that have exited. */
  #filling: NodeJS.Timeout | undefined
  #failedStarts = 0
  #isRestartWanted = false
  #restarting: Promise<void> | undefined

  constructor(options: SupervisorOptions) {
    this.#options = options
  }

  /** Resolves when no worker serves and all replacements fail. */
  get failed(): Promise<void> {
    return this.#failed.promise
  }

  /** Resolves with false if the first worker exits before it serves: the others would fail too. */
  async start(): Promise<boolean> {
    const isReady = await this.#fork().isReady
    // NOTE: the others were started when the first one began to serve.
    await Promise.all([...this.#members].map((member) => member.isReady))
    this.#started.resolve(isReady)
    return isReady
  }

  /**
   * Replaces the workers one after the other, each when its successor accepts connections. Waits until all have
   * started; calls during a restart cause one more.
   */
  restart(): Promise<void> {
    this.#isRestartWanted = true
    this.#restarting ??= this.#restartWhileWanted().finally(() => {
      this.#restarting = undefined
    })
    return this.#restarting
  }

  /** Announces that all workers will be stopped soon. */
  announceStop(): void {
    this.#endReplacing()
    for (const { peer } of this.#members) peer.send({ kind: 'stopping' })
  }

  /** Stops the workers after their running work. */
  async stop(): Promise<void> {
    this.#endReplacing()
    await Promise.all([...this.#members].map((member) => this.#end(member)))
  }

  kill(): void {
    this.#endReplacing()
    for (const { worker } of this.#members) worker.kill()
  }

  #endReplacing(): void {
    this.#isStopping = true
    clearTimeout(this.#filling)
  }

  async #restartWhileWanted(): Promise<void> {
    if (!(await this.#started.promise)) return
    while (this.#isRestartWanted && !this.#isStopping) {
      this.#isRestartWanted = false
      await this.#replaceAll()
    }
  }

  async #replaceAll(): Promise<void> {
    this.#options.log.info('replacing the workers one by one')
    for (const old of this.#present()) {
      if (this.#isStopping) return
      if (old.isLeaving || !this.#members.has(old)) continue
      const successor = this.#fork()
      if (!(await successor.isReady)) {
        if (!this.#isStopping)
          this.#options.log.error({ pid: old.worker.pid }, 'a new worker failed to start; keeping the old ones')
        return
      }
      await this.#end(old)
    }
  }

  async #end(member: Member): Promise<void> {
    member.isLeaving = true
    if (this.#leader === member) this.#lead()
    member.peer.send({ kind: 'stop' })
    const timer = setTimeout(() => member.worker.kill(), (this.#options.shutdownTimeout + GRACE_SECONDS) * 1000)
    await member.hasEnded
    clearTimeout(timer)
  }

  #fork(): Member {
    const worker = this.#options.fork()
    const ready = Promise.withResolvers<boolean>()
    const ended = Promise.withResolvers<void>()
    const member: Member = {
      worker,
      peer: { id: worker.id, send: (message) => worker.send(message) },
      slot: this.#freeSlot(),
      startedAt: performance.now(),
      isReady: ready.promise,
      hasEnded: ended.promise,
      isServing: false,
      isLeaving: false,
    }
    this.#members.add(member)
    this.#exchange.add(member.peer)
    worker.onMessage((message) => {
      if (message.kind === 'hello') this.#welcome(member)
      else if (message.kind === 'ready') {
        this.#serves(member)
        ready.resolve(true)
      } else this.#exchange.receive(member.peer, message)
    })
    worker.onExit((exit) => {
      this.#ended(member, exit)
      ready.resolve(false)
      ended.resolve()
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

  #serves(member: Member): void {
    member.isServing = true
    this.#options.log.info({ pid: member.worker.pid }, 'worker ready')
    this.#isFirst = false
    this.#failedStarts = 0
    if (this.#leader === undefined) this.#lead()
    if (this.#filling === undefined) this.#fill()
  }

  #ended(member: Member, { code, signal }: Exit): void {
    const { worker, peer, startedAt } = member
    this.#members.delete(member)
    this.#exchange.remove(peer, code !== 0)
    if (this.#leader === member) this.#lead()
    if (this.#isStopping || this.#isFirst || member.isLeaving) return
    if (!member.isServing) this.#failedStarts++
    const isAlone = !this.#present().some(({ isServing }) => isServing)
    if (isAlone && this.#failedStarts >= MAX_FAILED_STARTS) {
      const attempts = this.#failedStarts
      this.#options.log.fatal({ code, signal, attempts }, 'no worker serves and none can be started: exiting')
      this.#failed.resolve()
    } else if (this.#present().length < this.#options.count) {
      const pause = this.#nextPause(performance.now() - startedAt)
      this.#options.log.error({ pid: worker.pid, code, signal, pause }, 'worker exited; replacing it')
      this.#filling ??= setTimeout(() => {
        this.#filling = undefined
        this.#fill()
      }, pause)
    } else this.#options.log.error({ pid: worker.pid, code, signal }, 'worker exited')
  }

  /** Milliseconds. */
  #nextPause(livedMs: number): number {
    this.#pauseMs = livedMs > HEALTHY_MS ? 0 : Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, this.#pauseMs * 2))
    return this.#pauseMs
  }

  /** Starts missing workers; only one while none serves, because the others would fail for the same reason. */
  #fill(): void {
    const present = this.#present()
    const missing = this.#isStopping ? 0 : this.#options.count - present.length
    const isAlone = !present.some(({ isServing }) => isServing)
    const starting = isAlone ? Math.min(missing, 1 - present.length) : missing
    for (let n = 0; n < starting; n++) this.#fork()
  }

  /** The workers that were not asked to stop. */
  #present(): Member[] {
    return [...this.#members].filter(({ isLeaving }) => !isLeaving)
  }

  #freeSlot(): number {
    const taken = new Set([...this.#members].map(({ slot }) => slot))
    let slot = 0
    while (taken.has(slot)) slot++
    return slot
  }

  /** Makes another ready worker the leader; if there is none, the next one that becomes ready. */
  #lead(): void {
    this.#leader = this.#present().find(({ isServing }) => isServing)
    this.#leader?.peer.send({ kind: 'lead' })
  }
}
