import type { RunStatus } from './run-status.policy.ts'

interface RerunJob {
  readonly id: number
  readonly key: string
  readonly needs: readonly string[]
  readonly status: RunStatus
}

/** The jobs that a rerun starts with; jobs that need them are included. */
export type RerunChoice = 'all' | 'failed' | { readonly jobId: number }

/**
 * The jobs to rerun with their initial states: blocked while a required job runs again, too
 * (behaviour/actions#needs-if-matrix-concurrency-rerun).
 */
export function decideRerun(jobs: readonly RerunJob[], choice: RerunChoice): Map<number, 'waiting' | 'blocked'> {
  const chosen = new Set(jobs.filter((job) => isChosen(job, choice)))
  const keys = new Set([...chosen].map(({ key }) => key))
  for (let size = -1; size !== chosen.size;) {
    size = chosen.size
    for (const job of jobs) {
      if (chosen.has(job) || !job.needs.some((key) => keys.has(key))) continue
      chosen.add(job)
      keys.add(job.key)
    }
  }
  return new Map([...chosen].map(({ id, needs }) => [id, needs.some((key) => keys.has(key)) ? 'blocked' : 'waiting']))
}

function isChosen({ id, status }: RerunJob, choice: RerunChoice): boolean {
  if (choice === 'all') return true
  return choice === 'failed' ? status === 'failure' : id === choice.jobId
}
