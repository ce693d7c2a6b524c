import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Images of the container registry: their blobs, manifests and tags, and uploads that are not finished. */
export async function createContainerTables(schema: Schema): Promise<void> {
  await createTable(schema, 'container_blob', (t) =>
    t.id().reference('package_id', 'package').text('digest').text('sha256').number('size').number('created_at'),
  )
  await createIndex(schema, 'container_blob', ['package_id', 'digest'], { unique: true })
  await createIndex(schema, 'container_blob', ['sha256'])
  await createIndex(schema, 'container_blob', ['digest'])

  await createTable(schema, 'container_manifest', (t) =>
    t
      .id()
      .reference('package_id', 'package')
      .text('digest')
      .text('media_type')
      .text('artifact_type', '')
      .text('subject', '')
      .text('annotations', '')
      .text('sha256')
      .number('size')
      .number('creator_id')
      .number('created_at'),
  )
  await createIndex(schema, 'container_manifest', ['package_id', 'digest'], { unique: true })
  await createIndex(schema, 'container_manifest', ['package_id', 'subject'])
  await createIndex(schema, 'container_manifest', ['sha256'])

  await createTable(schema, 'container_reference', (t) =>
    t.id().reference('manifest_id', 'container_manifest').number('package_id').text('digest').flag('is_manifest'),
  )
  await createIndex(schema, 'container_reference', ['manifest_id'])
  await createIndex(schema, 'container_reference', ['package_id', 'digest'])

  await createTable(schema, 'container_tag', (t) =>
    t.id().reference('package_id', 'package').reference('manifest_id', 'container_manifest').text('name'),
  )
  await createIndex(schema, 'container_tag', ['package_id', 'name'], { unique: true })
  await createIndex(schema, 'container_tag', ['manifest_id'])

  await createTable(schema, 'container_upload', (t) =>
    t.text('id').primaryKey('id').reference('package_id', 'package').number('size', 0).number('updated_at'),
  )
  await createIndex(schema, 'container_upload', ['package_id'])
  await createTable(schema, 'container_chunk', (t) =>
    t.id().text('upload_id').number('position').text('sha256').text('sha512').number('size'),
  )
  await createIndex(schema, 'container_chunk', ['upload_id', 'position'], { unique: true })
  await createIndex(schema, 'container_chunk', ['sha256'])
}
