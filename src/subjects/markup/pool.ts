import { Worker } from 'node:worker_threads'
import { DomainError, invalid } from '../../platform/errors.ts'
import type { RenderInput } from './render.ts'

interface Waiting {
  resolve(html: string): void
  reject(error: Error): void
  readonly timer: NodeJS.Timeout
}

const DEADLINE_MS = 2_000
const IDLE_MS = 30_000
const MAX_WAITING = 32
const HEAP_MB = 192

/**
 * Renders in a worker thread, so that no text delays other requests. After two seconds the thread is terminated and the
 * text refused. The thread starts with the first text and ends when idle.
 */
export class RenderPool {
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #next = 1
  #queue: Promise<unknown> = Promise.resolve()
  #queued = 0
  readonly #waiting = new Map<number, Waiting>()

  /** Throws invalid after two seconds or for too much memory, too-many-requests when the queue is full. */
  async render(input: RenderInput): Promise<string> {
    if (this.#queued >= MAX_WAITING) throw new DomainError('too-many-requests', 'too many texts are being rendered')
    this.#queued++
    const turn = this.#queue.then(() => this.#send(input))
    this.#queue = turn.catch(() => {})
    try {
      return await turn
    } finally {
      this.#queued--
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#end(new Error('closing'))
  }

  #send(input: RenderInput): Promise<string> {
    const worker = (this.#worker ??= this.#start())
    clearTimeout(this.#idle)
    const id = this.#next++
    return new Promise<string>((resolve, reject) => {
      const timer = setTimeout(() => void this.#end(invalid('the text takes too long to render')), DEADLINE_MS)
      this.#waiting.set(id, { resolve, reject, timer })
      worker.postMessage({ id, input })
    }).finally(() => {
      this.#idle = setTimeout(() => void this.#end(new Error('idle')), IDLE_MS).unref()
    })
  }

  #start(): Worker {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.unref()
    worker.on('message', ({ id, html, error }: { id: number; html?: string; error?: string }) => {
      const waiting = this.#waiting.get(id)
      if (!waiting) return
      this.#waiting.delete(id)
      clearTimeout(waiting.timer)
      if (html === undefined) waiting.reject(invalid(`the text cannot be rendered: ${error}`))
      else waiting.resolve(html)
    })
    worker.on('error', () => void this.#end(invalid('the text takes too much memory to render')))
    return worker
  }

  async #end(reason: Error): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    for (const waiting of this.#waiting.values()) {
      clearTimeout(waiting.timer)
      waiting.reject(reason)
    }
    this.#waiting.clear()
    await worker?.terminate()
  }
}
