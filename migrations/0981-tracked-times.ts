import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createTrackedTimes(schema: Schema): Promise<void> {
  await createTable(schema, 'stopwatch', (t) =>
    t.reference('user_id', 'user').reference('issue_id', 'issue').number('started_at').primaryKey('user_id'),
  )
  await createIndex(schema, 'stopwatch', ['issue_id'])

  await createTable(schema, 'tracked_time', (t) =>
    t.id().reference('issue_id', 'issue').number('repo_id').number('user_id').number('seconds').number('created_at'),
  )
  await createIndex(schema, 'tracked_time', ['issue_id', 'id'])
  await createIndex(schema, 'tracked_time', ['repo_id', 'id'])
  await createIndex(schema, 'tracked_time', ['user_id', 'id'])
}
