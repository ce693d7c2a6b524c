import type { Logger } from '../../../core/platform/logger.ts'

interface HealthCheckOptions {
  readonly name: string
  /** Rejects when the component does not work. */
  readonly test: () => Promise<unknown>
  /** Timeout of the test, in milliseconds. */
  readonly deadlineMs: number
  /** How long a success is cached, in milliseconds. */
  readonly freshMs: number
  /** How long a failure is cached; `freshMs` if undefined. */
  readonly failureFreshMs?: number
  readonly log: Pick<Logger, 'error' | 'info'>
}

/**
 * Checks whether a component of the server works. Only one test runs at a time, and its result is cached briefly;
 * changes are logged with the reason.
 */
export class HealthCheck {
  readonly name: string
  readonly #options: HealthCheckOptions
  #result: Promise<boolean> | undefined
  /** `performance.now()` at which the cached result expires. */
  #freshUntil = 0
  #passed = true

  constructor(options: HealthCheckOptions) {
    this.name = options.name
    this.#options = options
  }

  passes(): Promise<boolean> {
    if (this.#result === undefined || performance.now() >= this.#freshUntil) {
      this.#freshUntil = Number.POSITIVE_INFINITY
      this.#result = this.#test()
    }
    return this.#result
  }

  async #test(): Promise<boolean> {
    const { name, test, deadlineMs, freshMs, failureFreshMs = freshMs, log } = this.#options
    let passes = true
    try {
      await withDeadline(test(), deadlineMs)
      if (!this.#passed) log.info({ check: name }, 'health check passes again')
    } catch (error) {
      passes = false
      if (this.#passed) log.error({ err: error, check: name }, 'health check failed')
    }
    this.#passed = passes
    this.#freshUntil = performance.now() + (passes ? freshMs : failureFreshMs)
    return passes
  }
}

async function withDeadline(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ms} ms`)), ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
