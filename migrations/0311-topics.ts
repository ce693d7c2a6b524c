import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createTopics(schema: Schema): Promise<void> {
  await createTable(schema, 'topic', (t) =>
    t.id().text('name').number('repo_count', 0).number('created_at').number('updated_at'),
  )
  await createIndex(schema, 'topic', ['name'], { unique: true })
  await createIndex(schema, 'topic', ['repo_count', 'name'])

  await createTable(schema, 'repo_topic', (t) =>
    t.reference('repo_id', 'repo').reference('topic_id', 'topic').primaryKey('repo_id', 'topic_id'),
  )
  await createIndex(schema, 'repo_topic', ['topic_id', 'repo_id'])
}
