import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createReleasesAndAttachments(schema: Schema): Promise<void> {
  await createTable(schema, 'release', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .number('publisher_id')
      .text('tag_name')
      .text('lower_tag_name')
      .text('target', '')
      .text('title', '')
      .text('body', '')
      .flag('is_draft')
      .flag('is_prerelease')
      .flag('hide_archive_links')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'release', ['repo_id', 'lower_tag_name'], { unique: true })
  await createIndex(schema, 'release', ['repo_id', 'created_at', 'id'])

  await createTable(schema, 'attachment', (t) =>
    t
      .id()
      .text('uuid')
      .reference('repo_id', 'repo')
      .number('release_id', 0)
      .number('issue_id', 0)
      .number('comment_id', 0)
      .number('uploader_id')
      .text('name')
      .number('size', 0)
      .text('hash', '')
      .text('external_url', '')
      .number('download_count', 0)
      .number('created_at'),
  )
  await createIndex(schema, 'attachment', ['uuid'], { unique: true })
  await createIndex(schema, 'attachment', ['release_id', 'name'])
  await createIndex(schema, 'attachment', ['issue_id', 'comment_id'])
  await createIndex(schema, 'attachment', ['comment_id'])
  await createIndex(schema, 'attachment', ['repo_id'])
  await createIndex(schema, 'attachment', ['hash'])
}
