import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createMigrationTables(schema: Schema): Promise<void> {
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
      .number('created_at')
      .number('lfs_sent', 0),
  )
  await createIndex(schema, 'push_mirror', ['repo_id', 'remote_name'], { unique: true })
  await createIndex(schema, 'push_mirror', ['next_sync_at'])

  // Git data on disk of imports that have no repository yet; the transaction that creates it deletes the row.
  // `holder` is the process that imports.
  await createTable(schema, 'unfinished_import', (t) =>
    t.text('storage').number('started_at').text('holder', '').primaryKey('storage'),
  )
}
