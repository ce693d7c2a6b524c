import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createFormerTexts(schema: Schema): Promise<void> {
  await createTable(schema, 'former_text', (t) =>
    t
      .id()
      .reference('issue_id', 'issue')
      .optionalReference('comment_id', 'timeline_entry')
      .number('editor_id')
      .number('replaced_at')
      .text('body'),
  )
  await createIndex(schema, 'former_text', ['issue_id', 'comment_id', 'id'])
  // Comments that are deleted.
  await createIndex(schema, 'former_text', ['comment_id', 'id'])
}
