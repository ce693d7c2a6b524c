import { isDone, type RunStatus } from './run-status.policy.ts'

interface NeedingJob {
  readonly id: number
  readonly key: string
  readonly needs: readonly string[]
  readonly hasCondition: boolean
  readonly status: RunStatus
}

/** The blocked jobs that need nothing any longer, with their new states. */
export function decideReady<Job extends NeedingJob>(jobs: readonly Job[]): ReadonlyMap<Job, 'waiting' | 'skipped'> {
  const released = decideReleases(jobs)
  return new Map(
    jobs.flatMap((job) => {
      const status = job.status === 'blocked' && job.needs.length === 0 ? 'waiting' : released.get(job.id)
      return status === undefined ? [] : [[job, status] as const]
    }),
  )
}

/**
 * The blocked jobs whose required jobs have all ended, with their new states. A job that is skipped in this way releases
 * the jobs that need it (behaviour/actions#needs-if-matrix-concurrency-rerun).
 */
export function decideReleases(jobs: readonly NeedingJob[]): Map<number, 'waiting' | 'skipped'> {
  const released = new Map<number, 'waiting' | 'skipped'>()
  const statusOf = (job: NeedingJob): RunStatus => released.get(job.id) ?? job.status
  for (let size = -1; size !== released.size;) {
    size = released.size
    for (const job of jobs) {
      if (statusOf(job) !== 'blocked' || job.needs.length === 0) continue
      const required = jobs.filter(({ key }) => job.needs.includes(key)).map(statusOf)
      if (!required.every(isDone)) continue
      const isWanted = job.hasCondition || required.every((status) => status === 'success')
      released.set(job.id, isWanted ? 'waiting' : 'skipped')
    }
  }
  return released
}
