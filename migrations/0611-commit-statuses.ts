import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createCommitStatuses(schema: Schema): Promise<void> {
  await createTable(schema, 'commit_status', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('oid')
      .number('number')
      .text('state')
      .text('context')
      .text('description')
      .text('target_url')
      .number('creator_id')
      .number('created_at'),
  )
  await createIndex(schema, 'commit_status', ['repo_id', 'oid', 'number'], { unique: true })
  await createIndex(schema, 'commit_status', ['repo_id', 'oid', 'context', 'number'])
}
