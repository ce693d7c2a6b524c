import { Worker } from 'node:worker_threads'
import type { Logger } from '../../../platform/logger.ts'
import { threadEnvironment } from '../../../platform/process/thread-environment.ts'
import type { ObjectFormat } from '../object/format.ts'
import type { GraphQueries } from './ancestors.ts'
import type { GraphAnswer, GraphDrop, GraphQuestion } from './worker.ts'

const IDLE_MS = 60_000
const HEAP_MB = 512
/** Maximum number of pending queries; further ones go to git, which has its own limit. */
const MAX_WAITING = 256

/** The repository of a query. */
export interface GraphRepo {
  readonly path: string
  readonly format: ObjectFormat
}

/** Answers queries about history from git's commit-graph and packs, without a process for each. */
export interface GraphReader {
  /** Undefined if git has to answer; `RepoView` says what can be read here. */
  ask<K extends keyof GraphQueries>(
    repo: GraphRepo,
    kind: K,
    query: GraphQueries[K]['query'],
  ): Promise<GraphQueries[K]['answer'] | undefined>
}

/**
 * A thread that walks through histories, so that the event loop never waits for a walk. It starts with the first query
 * and ends after a minute without one. If it dies, git answers the pending queries, and the next query starts a new
 * thread.
 */
export class GraphThread implements GraphReader {
  readonly #log: Logger
  readonly #waiting = new Map<number, (value: unknown) => void>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #questions = 0
  #closed = false

  constructor(log: Logger) {
    this.#log = log
  }

  async ask<K extends keyof GraphQueries>(
    { path, format }: GraphRepo,
    kind: K,
    query: GraphQueries[K]['query'],
  ): Promise<GraphQueries[K]['answer'] | undefined> {
    if (this.#closed || this.#waiting.size >= MAX_WAITING) return undefined
    const id = ++this.#questions
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#start())
    const answered = new Promise<unknown>((resolve) => this.#waiting.set(id, resolve))
    worker.ref()
    worker.postMessage({ id, path, format, kind, query } satisfies GraphQuestion)
    return (await answered) as GraphQueries[K]['answer'] | undefined
  }

  /** Call it when the repository's packs were replaced or the repository was removed. */
  drop(path: string): void {
    this.#worker?.postMessage({ drop: path } satisfies GraphDrop)
  }

  close(): void {
    this.#closed = true
    this.#end()
  }

  #start(): Worker {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      env: threadEnvironment(),
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.on('message', (answer: GraphAnswer) => this.#receive(answer))
    worker.on('error', (error) => {
      this.#log.warn({ err: error }, 'the thread that reads histories failed; git answers instead')
      if (worker === this.#worker) this.#end()
    })
    return worker
  }

  #receive({ id, value, reason }: GraphAnswer): void {
    if (reason !== undefined) this.#log.debug({ reason }, 'falling back to git for a history query')
    this.#waiting.get(id)?.(value)
    this.#waiting.delete(id)
    if (this.#waiting.size > 0) return
    this.#worker?.unref()
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
  }

  #end(): void {
    clearTimeout(this.#idle)
    const worker = this.#worker
    this.#worker = undefined
    for (const resolve of this.#waiting.values()) resolve(undefined)
    this.#waiting.clear()
    void worker?.terminate()
  }
}
