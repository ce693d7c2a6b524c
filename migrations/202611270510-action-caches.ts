import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Files that jobs leave for jobs of later runs. */
export async function createActionCaches(schema: Schema): Promise<void> {
  await createTable(schema, 'action_cache', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('ref')
      .text('version')
      .text('key')
      .text('hash')
      .number('size')
      .number('used_at')
      .number('created_at'),
  )
  await createIndex(schema, 'action_cache', ['repo_id', 'ref', 'version', 'key'], { unique: true })
  await createIndex(schema, 'action_cache', ['repo_id', 'used_at'])
  await createIndex(schema, 'action_cache', ['used_at'])
  await createIndex(schema, 'action_cache', ['hash'])
}
