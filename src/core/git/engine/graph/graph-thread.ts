import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Logger } from '../../../platform/logger.ts'
import type { ObjectFormat } from '../object/format.ts'
import type { GraphQueries } from './ancestors.ts'
import type { GraphAnswer, GraphDrop, GraphQuestion } from './worker.ts'

const IDLE_MS = 60_000
const HEAP_MB = 512
/** Questions at once; for more git is asked, which has its own bound. */
const MAX_WAITING = 256

/** A repository to ask about. */
export interface GraphRepo {
  readonly path: string
  readonly format: ObjectFormat
}

/** Answers questions about history from git's commit-graph and packs, without a process for each. */
export interface GraphReader {
  /** Undefined where git has to be asked: for what is read here see `RepoView`. */
  ask<K extends keyof GraphQueries>(
    repo: GraphRepo,
    kind: K,
    query: GraphQueries[K]['query'],
  ): Promise<GraphQueries[K]['answer'] | undefined>
}

/**
 * A thread that walks through histories, so that the event loop never waits for one. It starts with the first question
 * and ends when it was idle for a minute. When it dies, git answers what was asked, and the next question starts
 * another.
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

  /** Call when the repository's packs were replaced or it was removed. */
  drop(path: string): void {
    this.#worker?.postMessage({ drop: path } satisfies GraphDrop)
  }

  close(): void {
    this.#closed = true
    this.#end()
  }

  /**
   * NOTE: a thread takes the compile cache, which the process enabled, from its environment alone. Without it each start
   * costs half a second and 40 MB: it would load what removes the types. The folder is that of all versions of Node.
   */
  #start(): Worker {
    const cache = getCompileCacheDir()
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: dirname(cache) },
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
    if (reason !== undefined) this.#log.debug({ reason }, 'a history is read by git')
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
