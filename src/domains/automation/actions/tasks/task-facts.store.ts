import type { Db } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'

/** Facts that a runner needs to run a task. */
export interface TaskFacts {
  readonly id: number
  readonly repoId: RepoId
  readonly jobId: number
  readonly runId: number
  readonly attempt: number
  readonly jobKey: string
  /** YAML: the workflow with only this job. */
  readonly workflow: string
  readonly needs: readonly string[]
  readonly runNumber: number
  readonly fileName: string
  /** The name that the workflow states; empty if it states none. */
  readonly workflowName: string
  readonly filePath: string
  readonly event: string
  /** JSON. */
  readonly payload: string
  readonly ref: string
  readonly oid: string
  readonly actorId: UserId
  /** `ghost` for an account that was deleted. */
  readonly actorName: string
  readonly isFromFork: boolean
  /** JSON; empty: those of the repository. */
  readonly permissions: string
  /** Empty: none. */
  readonly environment: string
  /** It calls no other workflow. */
  readonly hasSteps: boolean
}

const JOBS_ACCOUNT = { id: -2, name: 'gitea-actions' } as const

export async function loadTaskFacts(db: Db, taskId: number): Promise<TaskFacts | undefined> {
  const [row] = await facts(db, { taskId })
  return (
    row && {
      id: row.id,
      repoId: asId(row.repo_id),
      jobId: row.job_id,
      runId: row.run_id,
      attempt: row.attempt,
      jobKey: row.key,
      workflow: row.workflow_text,
      needs: JSON.parse(row.needs) as string[],
      runNumber: row.number,
      fileName: row.workflow,
      workflowName: row.workflow_name,
      filePath: row.workflow_path,
      event: row.event,
      payload: row.payload,
      ref: row.ref,
      oid: row.oid,
      actorId: asId(row.actor_id),
      actorName: row.actor_id === JOBS_ACCOUNT.id ? JOBS_ACCOUNT.name : (row.actor_name ?? 'ghost'),
      isFromFork: row.is_from_fork === 1,
      permissions: row.permissions,
      environment: row.environment,
      hasSteps: row.steps !== '[]',
    }
  )
}

const facts = defineQuery((db, { taskId }: { readonly taskId: number }) =>
  db
    .selectFrom('action_task')
    .innerJoin('action_job', 'action_job.id', 'action_task.job_id')
    .innerJoin('action_run', 'action_run.id', 'action_job.run_id')
    .leftJoin('user as actor', 'actor.id', 'action_run.actor_id')
    .select([
      'action_task.id',
      'action_task.repo_id',
      'action_task.job_id',
      'action_task.attempt',
      'action_job.run_id',
      'action_job.key',
      'action_job.payload as workflow_text',
      'action_job.needs',
      'action_job.permissions',
      'action_job.environment',
      'action_job.steps',
      'action_run.number',
      'action_run.workflow',
      'action_run.workflow_name',
      'action_run.workflow_path',
      'action_run.event',
      'action_run.payload',
      'action_run.ref',
      'action_run.oid',
      'action_run.actor_id',
      'action_run.is_from_fork',
      'actor.name as actor_name',
    ])
    .where('action_task.id', '=', taskId),
)
