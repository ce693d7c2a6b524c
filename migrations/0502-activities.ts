import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createActivities(schema: Schema): Promise<void> {
  await createTable(schema, 'activity', (t) =>
    t
      .id()
      .number('event_id')
      .number('position', 0)
      .text('op_type')
      .reference('actor_id', 'user')
      .reference('repo_id', 'repo')
      .text('ref_name', '')
      .text('content', '')
      .number('created_at'),
  )
  await createIndex(schema, 'activity', ['event_id', 'position'], { unique: true })
  await createIndex(schema, 'activity', ['repo_id', 'id'])
  await createIndex(schema, 'activity', ['actor_id', 'id'])
  await createIndex(schema, 'activity', ['actor_id', 'created_at'])
}
