import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createRepoTransfersAndMirrors(schema: Schema): Promise<void> {
  await createTable(schema, 'repo_transfer', (t) =>
    t
      .reference('repo_id', 'repo')
      .reference('doer_id', 'user')
      .reference('recipient_id', 'user')
      .text('team_ids', '[]')
      .number('created_at')
      .primaryKey('repo_id'),
  )
  await createIndex(schema, 'repo_transfer', ['recipient_id', 'repo_id'])

  await createTable(schema, 'mirror', (t) =>
    t
      .reference('repo_id', 'repo')
      .number('interval', 0)
      .flag('is_pruning', 1)
      .number('synced_at', 0)
      .number('next_sync_at', 0)
      .primaryKey('repo_id'),
  )
  await createIndex(schema, 'mirror', ['next_sync_at'])
}
