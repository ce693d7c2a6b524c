import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createReferences(schema: Schema): Promise<void> {
  await createTable(schema, 'cross_reference', (t) =>
    t
      .reference('source_issue_id', 'issue')
      .number('source_comment_id', 0)
      .reference('issue_id', 'issue')
      .reference('entry_id', 'timeline_entry')
      .text('action')
      .primaryKey('source_issue_id', 'source_comment_id', 'issue_id'),
  )
  await createIndex(schema, 'cross_reference', ['issue_id'])
  await createIndex(schema, 'cross_reference', ['entry_id'])

  await createTable(schema, 'commit_reference', (t) =>
    t
      .reference('issue_id', 'issue')
      .text('oid')
      .reference('entry_id', 'timeline_entry')
      .flag('is_settled')
      .primaryKey('issue_id', 'oid'),
  )
  await createIndex(schema, 'commit_reference', ['entry_id'])
}
