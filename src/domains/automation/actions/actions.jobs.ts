import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import type { Core } from '../../../core/module.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import type { RunProgress } from './runs/run-progress.service.ts'
import { planLateJobs } from './runs/late-jobs.ts'
import { reportRun } from './runs/run-statuses.ts'
import type { StoredFiles } from './stored-files.ts'
import type { WorkflowReader } from './workflows/workflow-reader.ts'

const ofRun = Type.Object({ repo_id: Type.Integer(), run_id: Type.Integer() })

const actionsJobPayloads = {
  /** Starts the jobs of a run that nothing holds any longer. */
  'actions.advance': ofRun,
  /** Marks expired artifacts and logs, and deletes their bytes. */
  'actions.expire': Type.Object({}),
  /** Adds the commit statuses of a run. */
  'actions.report': ofRun,
  /** Deletes those of the blobs that no log or artifact uses. */
  'actions.release': Type.Object({ hashes: Type.Array(Type.String()) }),
  /** Deletes all blobs that no log or artifact uses. */
  'actions.sweep': Type.Object({}),
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof actionsJobPayloads> {}
}

/** Jobs of runs have a group of their own, so that they wait for nothing else. */
export const RUNS_GROUP = { group: 'actions' }

interface ActionsJobDeps extends Pick<Core, 'database' | 'clock' | 'events'> {
  readonly reader: WorkflowReader
  readonly files: StoredFiles
  readonly runProgress: Pick<RunProgress, 'advance'>
}

export const createActionsJobs = ({ files, runProgress, reader, ...core }: ActionsJobDeps): JobDefinitions => ({
  'actions.advance': defineJob(
    actionsJobPayloads['actions.advance'],
    async ({ repo_id: repoId, run_id: runId }) => {
      const plans = await planLateJobs({ read: core.database.read, reader }, { id: runId, repoId })
      await core.database.transaction((tx) => runProgress.advance(tx, asId(repoId), runId, plans))
    },
    RUNS_GROUP,
  ),
  'actions.report': defineJob(
    actionsJobPayloads['actions.report'],
    ({ repo_id: repoId, run_id: runId }) => reportRun(core, { repoId: asId(repoId), runId }),
    RUNS_GROUP,
  ),
  'actions.expire': defineJob(actionsJobPayloads['actions.expire'], (_, signal) => files.expire(signal)),
  'actions.release': defineJob(actionsJobPayloads['actions.release'], ({ hashes }, signal) =>
    files.deleteUnused(hashes, signal),
  ),
  'actions.sweep': defineJob(actionsJobPayloads['actions.sweep'], (_, signal) => files.sweep(signal)),
})

export const actionsTasks = (jobs: Jobs): ScheduledTask[] => [
  {
    name: 'cleanup_actions',
    schedule: '7 0 * * *',
    start: (tx) => jobs.enqueue(tx, 'actions.expire', {}, { key: 'all' }),
  },
  {
    name: 'delete_lost_actions_files',
    schedule: '41 3 * * *',
    start: (tx) => jobs.enqueue(tx, 'actions.sweep', {}, { key: 'all' }),
  },
]
