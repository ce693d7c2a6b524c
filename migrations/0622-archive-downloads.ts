import { createTable, type Schema } from './_helpers.ts'

export async function createArchiveDownloads(schema: Schema): Promise<void> {
  await createTable(schema, 'archive_download', (t) =>
    t.reference('repo_id', 'repo').text('tag').number('zip', 0).number('tar_gz', 0).primaryKey('repo_id', 'tag'),
  )
}
