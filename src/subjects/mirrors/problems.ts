import { remoteProblem } from './remote-access.ts'

/** Parts of a sync of which each goes on when another failed. */
export interface Problems {
  /** What went wrong, each with the prefix of its part. */
  readonly problems: readonly string[]
  /** Undefined when the task failed for a reason to tell; faults of this server and the end of `signal` are thrown. */
  trying<T>(prefix: string, task: () => Promise<T>): Promise<T | undefined>
}

export function collectProblems(signal: AbortSignal): Problems {
  const problems: string[] = []
  return {
    problems,
    async trying(prefix, task) {
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
