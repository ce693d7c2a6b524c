import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Keys that sign indexes of packages, and the indexes themselves. */
export async function createPackageIndexes(schema: Schema): Promise<void> {
  await createTable(schema, 'package_signing_key', (t) =>
    t.id().reference('owner_id', 'user').text('kind').text('private_key').text('public_key').number('created_at'),
  )
  await createIndex(schema, 'package_signing_key', ['owner_id', 'kind'], { unique: true })

  await createTable(schema, 'package_index', (t) =>
    t.id().reference('owner_id', 'user').text('type').text('state').flag('is_complete'),
  )
  await createIndex(schema, 'package_index', ['owner_id', 'type', 'state'])

  await createTable(schema, 'package_index_file', (t) =>
    t
      .id()
      .reference('index_id', 'package_index')
      .text('name')
      .number('size')
      .text('md5')
      .text('sha1')
      .text('sha256')
      .text('sha512'),
  )
  await createIndex(schema, 'package_index_file', ['index_id', 'name'], { unique: true })
  await createIndex(schema, 'package_index_file', ['sha256'])
}
