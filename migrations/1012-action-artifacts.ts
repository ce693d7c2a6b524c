import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createActionArtifacts(schema: Schema): Promise<void> {
  await createTable(schema, 'action_artifact', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .reference('run_id', 'action_run')
      .number('task_id')
      .text('name')
      .text('path', '')
      .text('protocol')
      .text('status')
      .text('encoding', '')
      .text('hash', '')
      .number('size', 0)
      .number('expires_at')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_artifact', ['run_id', 'name', 'path'], { unique: true })
  await createIndex(schema, 'action_artifact', ['repo_id', 'id'])
  await createIndex(schema, 'action_artifact', ['status', 'expires_at'])
  await createIndex(schema, 'action_artifact', ['hash'])
}
