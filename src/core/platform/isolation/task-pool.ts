import { FairQueue } from '../concurrency/fair-queue.ts'
import { type ChildLimits, TaskChild, type TaskModule, TaskError } from './task-child.ts'

/** A task that runs in the children of a pool. */
export interface TaskKind<Input, Output> extends TaskModule<Input, Output> {
  /** Milliseconds of one task. */
  readonly deadline: number
  /** Its tasks take long: only one task of all such kinds runs at a time, so that a child is free for the others. */
  readonly isLong?: boolean
}

interface PoolOptions {
  readonly limits?: ChildLimits
  /** Milliseconds without a task after which the children are ended. */
  readonly idleMs?: number
}

/** The number of children of each process: with only one, a task would wait for the tasks of other callers. */
const CHILDREN = 2
const IDLE_MS = 120_000
/** A child is replaced after this much work: well before its limit of processor time. */
const MAX_BUSY_MS = 30_000
const MIB = 1024 * 1024
const LIMITS: ChildLimits = { heap: 80, memory: 512 * MIB, processorTime: 180, niceness: 5 }

/**
 * Computes on behalf of users in at most two child processes, which are started with the first task and ended when
 * idle. Tasks of one caller run one after the other and callers take turns, so that no caller delays the others by many
 * tasks.
 */
export class TaskPool {
  readonly #limits: ChildLimits
  readonly #idleMs: number
  readonly #queue = new FairQueue({
    what: 'texts and files are being processed',
    atOnce: CHILDREN,
    atOncePerCaller: 1,
    maxWaiting: 256,
    maxWaitingPerCaller: 32,
  })
  readonly #longQueue = new FairQueue({
    what: 'large texts and files are being processed',
    atOnce: 1,
    atOncePerCaller: 1,
    maxWaiting: 64,
    maxWaitingPerCaller: 8,
  })
  readonly #children = new Set<TaskChild>()
  readonly #idle: TaskChild[] = []
  #endIdle: NodeJS.Timeout | undefined
  #isClosed = false

  constructor({ limits = LIMITS, idleMs = IDLE_MS }: PoolOptions = {}) {
    this.#limits = limits
    this.#idleMs = idleMs
  }

  /**
   * Runs one task of a caller: an account, or the address of an anonymous one. Throws TaskError, and too-many-requests
   * when too many tasks wait.
   */
  run<Input, Output>(kind: TaskKind<Input, Output>, input: Input, rateLimitKey: string): Promise<Output> {
    const run = (): Promise<Output> => this.#queue.run(rateLimitKey, () => this.#inChild(kind, input))
    return kind.isLong === true ? this.#longQueue.run(rateLimitKey, run) : run()
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#endIdle)
    for (const child of this.#children) child.end()
    this.#children.clear()
  }

  async #inChild<Input, Output>(kind: TaskKind<Input, Output>, input: Input): Promise<Output> {
    if (this.#isClosed) throw new TaskError('closing', 'the server stops')
    clearTimeout(this.#endIdle)
    const child = this.#takeIdle() ?? this.#start()
    try {
      this.#prepareSpare(child, kind)
      return await child.run(kind, input, { deadline: kind.deadline })
    } finally {
      this.#giveBack(child)
    }
  }

  /**
   * While one child works the other one starts, so that it is ready for the next caller; but only after the first one
   * has loaded, which it would delay. NOTE: a child that cannot start is reported by the task that needs it.
   */
  #prepareSpare(busy: TaskChild, kind: TaskKind<never, unknown>): void {
    const start = async (): Promise<void> => {
      await busy.load(kind)
      if (this.#children.size >= CHILDREN || this.#isClosed) return
      const spare = this.#start()
      this.#idle.push(spare)
      await spare.load(kind)
    }
    start().catch(() => {})
  }

  #start(): TaskChild {
    const child = new TaskChild(this.#limits)
    this.#children.add(child)
    return child
  }

  #takeIdle(): TaskChild | undefined {
    for (let child = this.#idle.pop(); child !== undefined; child = this.#idle.pop()) {
      if (child.isUsable) return child
      this.#children.delete(child)
    }
    return undefined
  }

  #giveBack(child: TaskChild): void {
    if (child.isUsable && child.busyMs < MAX_BUSY_MS && !this.#isClosed) this.#idle.push(child)
    else {
      child.end()
      this.#children.delete(child)
    }
    clearTimeout(this.#endIdle)
    if (!this.#isClosed) this.#endIdle = setTimeout(() => this.#endAllIdle(), this.#idleMs).unref()
  }

  #endAllIdle(): void {
    for (const child of this.#idle.splice(0)) {
      child.end()
      this.#children.delete(child)
    }
  }
}
