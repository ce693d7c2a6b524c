import { addColumn, createIndex, createTable, type Schema } from './_helpers.ts'

export async function createMirrorRemotes(schema: Schema): Promise<void> {
  for (const name of ['remote_url', 'credentials', 'remote_head', 'last_error'])
    await addColumn(schema, 'mirror', { name, type: 'text', initial: '' })

  await createTable(schema, 'push_mirror', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('remote_name')
      .text('remote_url')
      .text('credentials', '')
      .text('public_key', '')
      .text('private_key', '')
      .number('interval')
      .flag('is_on_commit')
      .number('pushed_at', 0)
      .number('next_sync_at', 0)
      .text('last_error', '')
      .number('created_at'),
  )
  await createIndex(schema, 'push_mirror', ['repo_id', 'remote_name'], { unique: true })
  await createIndex(schema, 'push_mirror', ['next_sync_at'])
}
