import { remoteProblem } from './remote-access.ts'

/** Failures of the parts of a sync: each part runs even if another fails. */
interface Problems {
  /** Messages, each with the prefix of its part. */
  readonly problems: readonly string[]
  /**
   * Returns undefined if the task failed because of the remote; rethrows faults of this server and aborts of `signal`.
   */
  attempt<T>(prefix: string, task: () => Promise<T>): Promise<T | undefined>
}

export function collectProblems(signal: AbortSignal): Problems {
  const problems: string[] = []
  return {
    problems,
    async attempt(prefix, task) {
      try {
        return await task()
      } catch (error) {
        const problem = remoteProblem(error)
        if (problem === undefined || signal.aborted) throw error
        problems.push(`${prefix}${problem}`)
        return undefined
      }
    },
  }
}
