import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createReviews(schema: Schema): Promise<void> {
  await createTable(schema, 'review', (t) =>
    t
      .id()
      .reference('pull_id', 'pull')
      .number('issue_id')
      .text('kind')
      .number('reviewer_id', 0)
      .number('team_id', 0)
      .text('body', '')
      .text('commit_oid', '')
      .flag('is_official')
      .flag('is_stale')
      .flag('is_dismissed')
      .number('entry_id', 0)
      .number('created_at')
      .number('updated_at')
      .number('submitted_at', 0),
  )
  await createIndex(schema, 'review', ['pull_id', 'id'])
  // Who reviewed, and who is asked for a review: the search of issues, and deleted accounts and teams.
  await createIndex(schema, 'review', ['reviewer_id', 'kind', 'issue_id'])
  await createIndex(schema, 'review', ['team_id', 'kind', 'issue_id'])
}
