import { createIndex, createTable, type Schema } from './_helpers.ts'

/** The choices of users about single issues; most follow an issue without one. */
export async function createIssueWatches(schema: Schema): Promise<void> {
  await createTable(schema, 'issue_watch', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('user_id', 'user')
      .flag('is_watching')
      .number('created_at')
      .primaryKey('issue_id', 'user_id'),
  )
  await createIndex(schema, 'issue_watch', ['user_id'])
  // Who takes part in an issue.
  await createIndex(schema, 'timeline_entry', ['issue_id', 'kind', 'actor_id'])
}
