import { addColumn, type Schema } from './_helpers.ts'

/** What jobs were planned from late, so that a rerun plans them again, and those that it replaces. */
export async function addReplannedJobs(schema: Schema): Promise<void> {
  await addColumn(schema, 'action_job', { name: 'planned_from', type: 'text', initial: '' })
  await addColumn(schema, 'action_job', { name: 'is_replaced', type: 'flag', initial: 0 })
}
