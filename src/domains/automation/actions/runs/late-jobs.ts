import type { Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { MAX_JOBS } from '../workflows/reading/matrix.ts'
import type { WorkflowReader } from '../workflows/workflow-reader.ts'
import { describeInvalid, type PlannedJob, type Read } from '../workflows/workflow.policy.ts'
import { insertJobs, type Job, listAllJobsOfRun, listPlannedFrom, updateJob } from './job.store.ts'
import { loadNeeds } from './needs.store.ts'
import { decideReady } from './run-progress.policy.ts'
import type { Run } from './run.store.ts'
import { insertLogLines, insertTask } from './task.store.ts'

/** Jobs by the id of the one that stands for them until the jobs that it needs have ended. */
export type LatePlans = ReadonlyMap<number, Read<readonly PlannedJob[]>>

interface LateDeps {
  readonly read: Db
  readonly reader: Pick<WorkflowReader, 'planLate'>
}

/**
 * Plans the jobs of a run whose names, labels, matrices or groups depend on outputs of jobs that have ended
 * (behaviour/actions#needs-if-matrix-concurrency-rerun).
 */
export async function planLateJobs({ read, reader }: LateDeps, run: { id: number; repoId: number }) {
  const plans = new Map<number, Read<readonly PlannedJob[]>>()
  for (const [{ id, late, needs }, status] of decideReady(await listAllJobsOfRun(read, run.id))) {
    if (late === '' || status !== 'waiting') continue
    const task = { late, needs: await loadNeeds(read, run.id, needs) }
    plans.set(id, await reader.planLate(task, `repo:${run.repoId}`))
  }
  return plans
}

/**
 * Puts the planned jobs in the place of those that stood for them. Returns how those end that could not be planned, or
 * that stood for none.
 */
export async function insertLateJobs(
  tx: Tx,
  run: Run,
  plans: LatePlans,
  at: number,
): Promise<Map<number, 'failure' | 'skipped'>> {
  const ended = new Map<number, 'failure' | 'skipped'>()
  if (plans.size === 0) return ended
  let jobs = await listAllJobsOfRun(tx, run.id)
  for (const job of jobs) {
    const planned = plans.get(job.id)
    if (planned === undefined || job.late === '' || job.status !== 'blocked') continue
    const reason = reasonOf(planned, jobs.length - 1)
    if ('invalid' in planned || reason !== undefined) {
      await insertReason(tx, job, { reason: reason!, at })
      ended.set(job.id, 'failure')
      continue
    }
    const [first, ...others] = planned.found.map((one) =>
      rowOfPlan({ ...one, needs: job.needs }, run, { at, waits: true }),
    )
    if (first === undefined) {
      ended.set(job.id, 'skipped')
      continue
    }
    await updateJob(tx, job.id, { ...first, planned_from: job.late, created_at: job.createdAt })
    await insertJobs(
      tx,
      others.map((row) => ({ ...row, attempt: job.attempt })),
    )
    jobs = await listAllJobsOfRun(tx, run.id)
  }
  return ended
}

/**
 * Replaces the planned jobs of a run that need jobs which run again by ones that stand for them until those have ended.
 * Returns the jobs of the new attempt.
 */
export async function replaceLateJobs(
  tx: Tx,
  { jobs, again }: { readonly jobs: readonly Job[]; readonly again: ReadonlyMap<number, 'waiting' | 'blocked'> },
  at: number,
): Promise<readonly Job[]> {
  const groups = Map.groupBy(jobs, ({ key }) => key)
  const plannedFrom = await listPlannedFrom(tx, jobs[0]!.runId)
  for (const [key, late] of plannedFrom) {
    const group = groups.get(key)!
    const { repoId, runId, needs, hasCondition } = group[0]!
    if (again.get(group[0]!.id) !== 'blocked') continue
    for (const { id } of group) await updateJob(tx, id, { is_replaced: 1 })
    await insertJobs(tx, [
      {
        repo_id: repoId,
        run_id: runId,
        key,
        name: key,
        needs: JSON.stringify(needs),
        has_condition: flag(hasCondition),
        late,
        attempt: Math.max(...group.map(({ attempt }) => attempt)),
        status: 'blocked',
        created_at: at,
        updated_at: at,
      },
    ])
  }
  return listAllJobsOfRun(tx, jobs[0]!.runId)
}

/** Why the planned jobs cannot be added to others of the run. */
function reasonOf(planned: Read<readonly PlannedJob[]>, others: number): string | undefined {
  if ('invalid' in planned) return describeInvalid(planned.invalid)
  return others + planned.found.length > MAX_JOBS ? `the run has more than ${MAX_JOBS} jobs` : undefined
}

/** Stores the log of a job that could not be planned, which is the reason. */
async function insertReason(
  tx: Tx,
  { id, repoId, attempt: before }: Job,
  { reason, at }: { readonly reason: string; readonly at: number },
): Promise<void> {
  const attempt = before + 1
  const text = `${new Date(at).toISOString().replace('Z', '0000Z')} ${reason.replaceAll('\n', String.raw`\n`)}\n`
  const log = { log_lines: 1, log_text_size: Buffer.byteLength(text), is_log_sealed: 1 } as const
  const times = { started_at: at, stopped_at: at, created_at: at, updated_at: at }
  const task = { repo_id: repoId, job_id: id, runner_id: 0, runner_name: '', attempt, status: 'failure' } as const
  const taskId = await insertTask(tx, { ...task, ...log, ...times })
  await insertLogLines(tx, { task_id: taskId, first_line: 0, text })
  await updateJob(tx, id, { task_id: taskId, attempt })
}

/** The row of a planned job; it is blocked if `waits`. */
export const rowOfPlan = (
  job: PlannedJob,
  { id, repoId }: Pick<Run, 'id' | 'repoId'>,
  { at, waits }: { readonly at: number; readonly waits: boolean },
) => ({
  repo_id: repoId,
  run_id: id,
  key: job.key,
  name: job.name,
  needs: JSON.stringify(job.needs),
  labels: JSON.stringify(job.labels),
  payload: job.payload,
  late: job.late,
  has_condition: flag(job.hasCondition),
  steps: JSON.stringify(job.steps),
  permissions: job.permissions,
  environment: job.environment,
  concurrency: job.concurrency === undefined ? '' : JSON.stringify(job.concurrency),
  status: waits || isBlocked(job) ? ('blocked' as const) : ('waiting' as const),
  created_at: at,
  updated_at: at,
})

const isBlocked = ({ needs, concurrency, late }: PlannedJob): boolean =>
  needs.length > 0 || concurrency !== undefined || late !== ''
