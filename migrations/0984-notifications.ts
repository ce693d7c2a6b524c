import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createNotifications(schema: Schema): Promise<void> {
  await createTable(schema, 'notification', (t) =>
    t
      .id()
      .reference('user_id', 'user')
      .reference('repo_id', 'repo')
      .optionalReference('issue_id', 'issue')
      .text('kind')
      .text('status')
      .text('reason')
      .number('updated_at'),
  )
  await createIndex(schema, 'notification', ['issue_id', 'user_id'], { unique: true })
  // Lists and counts read these alone.
  await createIndex(schema, 'notification', ['user_id', 'status', 'updated_at', 'id', 'kind', 'repo_id'])
  await createIndex(schema, 'notification', ['repo_id', 'user_id', 'status', 'updated_at', 'id', 'kind'])
}
