import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Which repository has which large file, and who holds which path. */
export async function createLfs(schema: Schema): Promise<void> {
  await createTable(schema, 'lfs_link', (t) =>
    t.id().reference('repo_id', 'repo').text('oid').number('size').number('created_at'),
  )
  await createIndex(schema, 'lfs_link', ['repo_id', 'oid'], { unique: true })
  await createIndex(schema, 'lfs_link', ['oid', 'repo_id'])

  await createTable(schema, 'lfs_lock', (t) =>
    t.id().reference('repo_id', 'repo').reference('owner_id', 'user').text('path').number('created_at'),
  )
  await createIndex(schema, 'lfs_lock', ['repo_id', 'path'], { unique: true })
  await createIndex(schema, 'lfs_lock', ['repo_id', 'id'])
}
