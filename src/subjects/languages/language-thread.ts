import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { KeyedMutex } from '../../platform/keyed-mutex.ts'
import type { LanguageQuestion } from './worker.ts'

const IDLE_MS = 5_000
const HEAP_MB = 256

/** Sends one question to the thread and returns its answer. */
export type Ask = <T>(question: LanguageQuestion) => Promise<T>

/**
 * A worker thread with the rules of the linguist library. It starts with the first repository, counts one repository at
 * a time and ends when it is idle.
 */
export class LanguageThread {
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #lock = new KeyedMutex()

  /** Runs `work` with the thread to itself. The thread is terminated when `work` fails or `limit` aborts. */
  use<T>(limit: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#lock.run('thread', async () => {
      clearTimeout(this.#idle)
      const worker = (this.#worker ??= this.#start())
      try {
        const result = await work(async <A>(question: LanguageQuestion): Promise<A> => {
          worker.postMessage(question)
          const [answer] = (await once(worker, 'message', { signal: limit })) as [A]
          return answer
        })
        this.#idle = setTimeout(() => void this.#terminate(), IDLE_MS).unref()
        return result
      } catch (error) {
        await this.#terminate()
        throw error
      }
    })
  }

  #start(): Worker {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    worker.unref()
    worker.on('error', () => void this.#terminate())
    return worker
  }

  async #terminate(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}
