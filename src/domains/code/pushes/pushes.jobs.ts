import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'

const pushJobPayloads = {
  /** Compares the refs of every repository with its rows and corrects the rows. */
  'repos.reconcile': Type.Object({}),
  /** Creates an empty git repository for every row whose git data is missing. */
  'repos.reinit': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof pushJobPayloads> {}
}

interface PushJobDeps {
  reconcileAll(signal: AbortSignal): Promise<void>
  reinitMissing(signal: AbortSignal): Promise<void>
}

export const createPushJobs = ({ reconcileAll, reinitMissing }: PushJobDeps): JobDefinitions => ({
  'repos.reconcile': defineJob(pushJobPayloads['repos.reconcile'], (_, signal) => reconcileAll(signal)),
  'repos.reinit': defineJob(pushJobPayloads['repos.reinit'], (_, signal) => reinitMissing(signal)),
})

export const pushTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'check_repo_rows',
    schedule: '41 2 * * *',
    start: (tx) => jobs.enqueue(tx, 'repos.reconcile', {}, { key: 'all' }),
  },
  {
    name: 'reinit_missing_repos',
    schedule: '0 0 * * *',
    isOff: true,
    start: (tx) => jobs.enqueue(tx, 'repos.reinit', {}, { key: 'all' }),
  },
]
