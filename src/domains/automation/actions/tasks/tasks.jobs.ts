import { Type } from '@sinclair/typebox'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../../core/jobs/index.ts'
import type { OverdueKind, OverdueWork } from './overdue.service.ts'
import type { TaskLogs } from './task-log.service.ts'

const taskJobPayloads = {
  /** Ends tasks and jobs that runners have given up. */
  'actions.end_overdue': Type.Object({ kind: Type.Unsafe<OverdueKind>(Type.String()) }),
  /** Seals the log of a task. */
  'actions.seal_log': Type.Object({ task: Type.Integer() }),
}

declare module '../../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof taskJobPayloads> {}
}

interface TaskJobDeps {
  readonly logs: Pick<TaskLogs, 'seal'>
  readonly overdue: OverdueWork
}

export const createTaskJobs = ({ logs, overdue }: TaskJobDeps): JobDefinitions => ({
  'actions.end_overdue': defineJob(taskJobPayloads['actions.end_overdue'], ({ kind }, signal) =>
    overdue.end(kind, signal),
  ),
  'actions.seal_log': defineJob(taskJobPayloads['actions.seal_log'], ({ task }) => logs.seal(task)),
})

export const overdueTasks = (jobs: Jobs): ScheduledTask[] =>
  (
    [
      ['stop_zombie_tasks', '* * * * *', 'zombie'],
      ['stop_endless_tasks', '*/30 * * * *', 'endless'],
      ['cancel_abandoned_jobs', '11 */6 * * *', 'abandoned'],
    ] as const
  ).map(([name, schedule, kind]) => ({
    name,
    schedule,
    start: (tx) => jobs.enqueue(tx, 'actions.end_overdue', { kind }, { key: kind }),
  }))
