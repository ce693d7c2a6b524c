import { addColumn, createIndex, type Schema } from './_helpers.ts'

export async function addWorkflowEvents(schema: Schema): Promise<void> {
  await addColumn(schema, 'action_run', { name: 'depth', type: 'number', initial: 0 })
  await addColumn(schema, 'action_run', { name: 'source', type: 'text', initial: '' })
  await createIndex(schema, 'action_run', ['repo_id', 'source'])
}
