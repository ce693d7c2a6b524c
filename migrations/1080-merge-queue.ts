import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createMergeQueue(schema: Schema): Promise<void> {
  await createTable(schema, 'merge_queue_batch', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('branch')
      .text('state')
      .text('base_oid', '')
      .text('oid', '')
      .number('built_at', 0)
      .number('created_at'),
  )
  // A branch has one batch at a time.
  await createIndex(schema, 'merge_queue_batch', ['repo_id', 'branch'], { unique: true })
  // The batch that a status was reported for.
  await createIndex(schema, 'merge_queue_batch', ['repo_id', 'oid'])
  await createTable(schema, 'merge_queue_entry', (t) =>
    t
      .reference('pull_id', 'pull')
      .primaryKey('pull_id')
      .number('issue_id')
      .reference('repo_id', 'repo')
      .text('branch')
      .number('position')
      .number('actor_id')
      .text('style')
      .text('title')
      .text('message')
      .text('deletes_branch')
      .text('head_oid')
      .number('batch_id', 0)
      .text('oid', '')
      .number('suspect_id', 0)
      .number('max_batch', 0)
      .text('failure', '')
      .number('created_at'),
  )
  await createIndex(schema, 'merge_queue_entry', ['repo_id', 'branch', 'position'])
}
