import { createIndex, createTable, type Schema } from './_helpers.ts'

/** One space of SSH keys: a fingerprint belongs to one user, or to any number of repositories as a deploy key. */
export async function createPublicKeys(schema: Schema): Promise<void> {
  await createTable(schema, 'public_key', (t) => t.id().text('fingerprint').text('algorithm').text('blob').text('kind'))
  await createIndex(schema, 'public_key', ['fingerprint'], { unique: true })

  await createTable(schema, 'user_key', (t) =>
    t
      .id()
      .reference('key_id', 'public_key')
      .reference('user_id', 'user')
      .text('title')
      .text('comment', '')
      .number('created_at')
      .number('last_used_at', 0),
  )
  await createIndex(schema, 'user_key', ['key_id'], { unique: true })
  await createIndex(schema, 'user_key', ['user_id', 'title'], { unique: true })
  await createIndex(schema, 'user_key', ['user_id', 'id'])

  await createTable(schema, 'deploy_key', (t) =>
    t
      .id()
      .reference('key_id', 'public_key')
      .reference('repo_id', 'repo')
      .text('title')
      .text('comment', '')
      .flag('is_read_only')
      .number('created_at')
      .number('last_used_at', 0),
  )
  await createIndex(schema, 'deploy_key', ['repo_id', 'key_id'], { unique: true })
  await createIndex(schema, 'deploy_key', ['repo_id', 'title'], { unique: true })
  await createIndex(schema, 'deploy_key', ['key_id', 'repo_id'])
}
