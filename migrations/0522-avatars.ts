import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Uploaded images by the hash in their address; users and repositories name them in their `avatar` column. */
export async function createAvatars(schema: Schema): Promise<void> {
  await createTable(schema, 'avatar', (t) =>
    t.text('hash').text('blob').text('media_type').number('created_at').primaryKey('hash'),
  )
  await createIndex(schema, 'avatar', ['blob'])
  await createIndex(schema, 'user', ['avatar'])
  await createIndex(schema, 'repo', ['avatar'])
}
