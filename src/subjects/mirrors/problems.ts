import { remoteProblem } from './remote-access.ts'

/** Problems of the parts of a sync: each part runs even when another failed. */
interface Problems {
  /** What went wrong, each with the prefix of its part. */
  readonly problems: readonly string[]
  /** Undefined when the task failed with a problem; faults of this server and the abort of `signal` are thrown. */
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
