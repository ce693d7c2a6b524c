import { KeyedMutex } from '../../../core/platform/concurrency/keyed-mutex.ts'
import { type ChildLimits, TaskChild, type TaskModule } from '../../../core/platform/isolation/index.ts'
import type { LanguageQuestion } from './languages.task.ts'
import { RULES_CACHE } from './rules.ts'

const IDLE_MS = 5_000
const ANSWER_DEADLINE_MS = 120_000
const LIMITS: ChildLimits = {
  heap: 256,
  memory: 512 * 1024 * 1024,
  processorTime: 600,
  niceness: 10,
  writable: [RULES_CACHE],
}
const TASK: TaskModule<LanguageQuestion, unknown> = { url: new URL('languages.task.ts', import.meta.url).href }

/** Sends one question to the process and returns its answer. */
export type Ask = <T>(question: LanguageQuestion) => Promise<T>

/**
 * A child process with the rules of the linguist library. It starts with the first repository, counts one repository at
 * a time and ends when it is idle. NOTE: not one of the pool, because it remembers from question to question.
 */
export class LanguageProcess {
  #child: TaskChild | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #lock = new KeyedMutex()

  /** Runs `work` with the process to itself. The process is ended when `work` fails or `signal` aborts. */
  use<T>(signal: AbortSignal, work: (ask: Ask) => Promise<T>): Promise<T> {
    return this.#lock.run('process', async () => {
      clearTimeout(this.#idle)
      if (this.#child?.isUsable !== true) this.#child = new TaskChild(LIMITS)
      const child = this.#child
      try {
        const result = await work(
          (question) => child.run(TASK, question, { deadline: ANSWER_DEADLINE_MS, signal }) as Promise<never>,
        )
        this.#idle = setTimeout(() => this.close(), IDLE_MS).unref()
        return result
      } catch (error) {
        this.close()
        throw error
      }
    })
  }

  close(): void {
    clearTimeout(this.#idle)
    this.#child?.end()
    this.#child = undefined
  }
}
