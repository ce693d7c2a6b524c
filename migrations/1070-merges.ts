import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createMerges(schema: Schema): Promise<void> {
  await createTable(schema, 'merge_intent', (t) =>
    t
      .reference('pull_id', 'pull')
      .primaryKey('pull_id')
      .number('repo_id')
      .text('base_branch')
      .text('oid')
      .text('style')
      .number('actor_id')
      .flag('is_auto')
      .flag('deletes_branch')
      .number('created_at'),
  )
  await createIndex(schema, 'merge_intent', ['repo_id'])
  await createTable(schema, 'merge_schedule', (t) =>
    t
      .reference('pull_id', 'pull')
      .primaryKey('pull_id')
      .number('issue_id')
      .number('repo_id')
      .number('actor_id')
      .text('style')
      .text('title')
      .text('message')
      .text('deletes_branch')
      .number('created_at'),
  )
  await createIndex(schema, 'merge_schedule', ['repo_id'])
}
