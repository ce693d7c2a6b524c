import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Registries of other servers whose packages are given out too, and the stored copies of these. */
export async function createPackageUpstreams(schema: Schema): Promise<void> {
  await createTable(schema, 'package_upstream', (t) =>
    t
      .id()
      .reference('owner_id', 'user')
      .text('type')
      .text('url')
      .text('credentials')
      .text('allowed')
      .number('min_age_days')
      .flag('is_offline')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'package_upstream', ['owner_id', 'type'], { unique: true })
  await createTable(schema, 'package_upstream_file', (t) =>
    t
      .id()
      .reference('upstream_id', 'package_upstream')
      .text('key')
      .number('size')
      .text('md5')
      .text('sha1')
      .text('sha256')
      .text('sha512')
      .text('source_sha256')
      .text('basis')
      .text('etag')
      .text('last_modified')
      .number('fetched_at')
      .number('used_at'),
  )
  await createIndex(schema, 'package_upstream_file', ['upstream_id', 'key'], { unique: true })
  await createIndex(schema, 'package_upstream_file', ['sha256'])
  await createIndex(schema, 'package_upstream_file', ['source_sha256'])
  await createIndex(schema, 'package_upstream_file', ['used_at'])
}
