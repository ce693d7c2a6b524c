import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Long texts that are made of a whole package. */
export async function createPackageDocuments(schema: Schema): Promise<void> {
  await createTable(schema, 'package_document', (t) =>
    t.id().reference('package_id', 'package').text('name').number('revision').text('basis').text('sha256'),
  )
  await createIndex(schema, 'package_document', ['package_id', 'name'], { unique: true })
  await createIndex(schema, 'package_document', ['sha256'])
}
