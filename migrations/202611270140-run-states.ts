import { addColumn, createIndex, createTable, type Schema } from './_helpers.ts'

/** Attempts, schedules and commit statuses of runs. */
export async function addRunStates(schema: Schema): Promise<void> {
  await addColumn(schema, 'action_run', { name: 'attempt', type: 'number', initial: 1 })
  await addColumn(schema, 'action_run', { name: 'trigger_actor_id', type: 'number', initial: 0 })
  await addColumn(schema, 'action_run', { name: 'workflow_name', type: 'text', initial: '' })
  await addColumn(schema, 'action_run', { name: 'reported_oid', type: 'text', initial: '' })
  await createTable(schema, 'action_attempt', (t) =>
    t
      .reference('run_id', 'action_run')
      .number('attempt')
      .number('trigger_actor_id')
      .text('status')
      .number('started_at')
      .number('stopped_at')
      .text('jobs')
      .primaryKey('run_id', 'attempt'),
  )
  await createTable(schema, 'action_schedule', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('workflow')
      .text('workflow_path')
      .text('cron')
      .number('next_at')
      .number('created_at'),
  )
  await createIndex(schema, 'action_schedule', ['next_at', 'id'])
  await createIndex(schema, 'action_schedule', ['repo_id'])
}
