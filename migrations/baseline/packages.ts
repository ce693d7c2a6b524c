import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createPackagesTables(schema: Schema): Promise<void> {
  await createTable(schema, 'package', (t) =>
    t.id().reference('owner_id', 'user').number('repo_id', 0).text('type').text('name').text('lower_name'),
  )
  await createIndex(schema, 'package', ['owner_id', 'type', 'lower_name'], { unique: true })
  await createIndex(schema, 'package', ['repo_id'])

  await createTable(schema, 'package_version', (t) =>
    t
      .id()
      .reference('package_id', 'package')
      .number('creator_id')
      .text('version')
      .text('lower_version')
      .number('created_at'),
  )
  await createIndex(schema, 'package_version', ['package_id', 'lower_version'], { unique: true })

  await createTable(schema, 'package_file', (t) =>
    t
      .id()
      .reference('version_id', 'package_version')
      .text('name')
      .number('size')
      .text('md5')
      .text('sha1')
      .text('sha256')
      .text('sha512'),
  )
  await createIndex(schema, 'package_file', ['version_id', 'name'], { unique: true })
}
