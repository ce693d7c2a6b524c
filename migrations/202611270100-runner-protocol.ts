import { sql } from 'kysely'
import { addColumn, createTable, type Schema } from './_helpers.ts'

export async function addRunnerProtocol(schema: Schema): Promise<void> {
  await addColumn(schema, 'action_runner', { name: 'description', type: 'text', initial: '' })
  await addColumn(schema, 'action_runner', { name: 'capabilities', type: 'text', initial: '[]' })
  await addColumn(schema, 'action_job', { name: 'steps', type: 'text', initial: '[]' })
  await addColumn(schema, 'action_job', { name: 'permissions', type: 'text', initial: '' })
  await addColumn(schema, 'action_task', { name: 'request_key', type: 'text', initial: '' })
  await addColumn(schema, 'action_task', { name: 'cancel_requested_at', type: 'number', initial: 0 })
  await addColumn(schema, 'action_task', { name: 'log_encoding', type: 'text', initial: '' })
  await addColumn(schema, 'action_task', { name: 'log_text_size', type: 'number', initial: 0 })
  await createTable(schema, 'action_output', (t) =>
    t.reference('task_id', 'action_task').text('name').text('value').primaryKey('task_id', 'name'),
  )
  await sql`create index action_job_waiting_idx on action_job (repo_id, labels, updated_at, id)
    where status = 'waiting'`.execute(schema.db)
}
