import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createReviewComments(schema: Schema): Promise<void> {
  await createTable(schema, 'review_comment', (t) =>
    t
      .reference('entry_id', 'timeline_entry')
      .reference('review_id', 'review')
      .number('pull_id')
      .text('path')
      .text('side')
      .number('line')
      .number('start_line')
      .text('commit_oid')
      .text('base_oid')
      .text('line_commit_oid', '')
      .text('diff_hunk', '')
      .flag('is_outdated')
      .number('resolver_id', 0)
      .number('reply_to', 0)
      .primaryKey('entry_id'),
  )
  await createIndex(schema, 'review_comment', ['review_id', 'entry_id'])
  await createIndex(schema, 'review_comment', ['pull_id', 'is_outdated'])
}
