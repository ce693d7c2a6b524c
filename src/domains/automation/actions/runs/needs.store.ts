import type { Db } from '../../../../core/db/database.ts'
import { listAllJobsOfRun } from './job.store.ts'
import { aggregateStatus, type RunStatus } from './run-status.policy.ts'

/** The result and outputs of a needed job. */
export interface Need {
  readonly result: RunStatus
  readonly outputs: Readonly<Record<string, string>>
}

/** The state and the outputs of one job, or of one combination of its matrix, that another job needs. */
interface NeededJob extends Omit<Need, 'result'> {
  readonly key: string
  readonly status: RunStatus
}

/** The needed jobs by key; of the combinations of a matrix, the last output that is not empty counts. */
export async function loadNeeds(
  db: Db,
  runId: number,
  keys: readonly string[],
): Promise<Readonly<Record<string, Need>>> {
  const byKey = Map.groupBy(await listNeededJobs(db, runId, keys), ({ key }) => key)
  return Object.fromEntries(
    [...byKey].map(([key, group]) => {
      const outputs: Record<string, string> = {}
      for (const { outputs: some } of group)
        for (const [name, value] of Object.entries(some)) if (value !== '' || !(name in outputs)) outputs[name] = value
      return [key, { outputs, result: aggregateStatus(group.map(({ status }) => status)) }]
    }),
  )
}

/** Ordered by id. */
async function listNeededJobs(db: Db, runId: number, keys: readonly string[]): Promise<NeededJob[]> {
  if (keys.length === 0) return []
  const jobs = (await listAllJobsOfRun(db, runId)).filter(({ key }) => keys.includes(key))
  const taskIds = jobs.map(({ taskId }) => taskId)
  const rows = await db.selectFrom('action_output').selectAll().where('task_id', 'in', taskIds).execute()
  const outputs = Map.groupBy(rows, (row) => row.task_id)
  return jobs.map(({ key, status, taskId }) => ({
    key,
    status,
    outputs: Object.fromEntries((outputs.get(taskId) ?? []).map(({ name, value }) => [name, value])),
  }))
}
