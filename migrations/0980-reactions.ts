import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createReactions(schema: Schema): Promise<void> {
  await createTable(schema, 'reaction', (t) =>
    t
      .id()
      .reference('issue_id', 'issue')
      .optionalReference('comment_id', 'timeline_entry')
      .reference('user_id', 'user')
      .text('content')
      .number('created_at'),
  )
  await createIndex(schema, 'reaction', ['issue_id', 'comment_id', 'id'])
  await createIndex(schema, 'reaction', ['comment_id', 'id'])
  await createIndex(schema, 'reaction', ['user_id'])
}
