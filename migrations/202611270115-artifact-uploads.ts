import { addColumn, createIndex, createTable, type Schema } from './_helpers.ts'

/** Files that jobs send in blocks, until they are complete. */
export async function addArtifactUploads(schema: Schema): Promise<void> {
  await createTable(schema, 'action_upload', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .reference('task_id', 'action_task')
      .text('kind')
      .text('name')
      .text('variant', '')
      .text('encoding', '')
      .text('mime_type', '')
      .number('expires_at', 0)
      .text('listed', '')
      .number('blocks', 0)
      .number('size', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_upload', ['task_id', 'kind', 'name', 'variant'], { unique: true })
  await createIndex(schema, 'action_upload', ['repo_id'])
  await createIndex(schema, 'action_upload', ['updated_at'])
  await createTable(schema, 'action_upload_block', (t) =>
    t
      .reference('upload_id', 'action_upload')
      .text('name')
      .number('position')
      .text('hash')
      .number('size')
      .primaryKey('upload_id', 'name'),
  )
  await createIndex(schema, 'action_upload_block', ['hash'])
  await addColumn(schema, 'action_artifact', { name: 'mime_type', type: 'text', initial: '' })
}
