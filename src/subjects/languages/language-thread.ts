import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { KeyedMutex } from '../../platform/keyed-mutex.ts'
import type { LanguageQuestion } from './worker.ts'

const IDLE_MS = 5_000
const HEAP_MB = 256

/** Asks the thread one thing. */
export type Ask = <T>(question: LanguageQuestion) => Promise<T>

/**
 * The thread that knows the rules: started with the first repository, kept for those that follow soon, one at a time.
 */
export class LanguageThread {
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #turns = new KeyedMutex()

  /** Lets `work` ask; the thread is ended when that fails or `limit` aborts. */
  use<T>(limit: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#turns.run('thread', async () => {
      clearTimeout(this.#idle)
      const worker = (this.#worker ??= this.#start())
      try {
        const result = await work(async <A>(question: LanguageQuestion): Promise<A> => {
          worker.postMessage(question)
          const [answer] = (await once(worker, 'message', { signal: limit })) as [A]
          return answer
        })
        this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref()
        return result
      } catch (error) {
        await this.#end()
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
    worker.on('error', () => void this.#end())
    return worker
  }

  async #end(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}
