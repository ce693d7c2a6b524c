import type { Job } from './job.store.ts'
import type { RunStatus } from './run-status.policy.ts'

/** The state of the commit status of a job. */
export function statusOf(status: RunStatus): 'pending' | 'success' | 'failure' | 'skipped' {
  if (status === 'success' || status === 'skipped') return status
  return status === 'failure' || status === 'cancelled' ? 'failure' : 'pending'
}

const DESCRIPTIONS: Readonly<Record<RunStatus, string>> = {
  waiting: 'Waiting to run',
  blocked: 'Blocked by required conditions',
  running: 'Has started running',
  success: 'Successful in',
  failure: 'Failing after',
  cancelled: 'Has been cancelled',
  skipped: 'Has been skipped',
}

export function describeJob({ status, startedAt, stoppedAt }: Pick<Job, 'status' | 'startedAt' | 'stoppedAt'>): string {
  const text = DESCRIPTIONS[status]
  if (status !== 'success' && status !== 'failure') return text
  return `${text} ${duration(startedAt === 0 ? 0 : Math.round((stoppedAt - startedAt) / 1000))}`
}

function duration(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return `${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds % 60}s`
}
