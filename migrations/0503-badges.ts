import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createBadges(schema: Schema): Promise<void> {
  await createTable(schema, 'badge', (t) => t.id().text('slug').text('description', '').text('image_url', ''))
  await createIndex(schema, 'badge', ['slug'], { unique: true })

  await createTable(schema, 'user_badge', (t) =>
    t.reference('user_id', 'user').reference('badge_id', 'badge').primaryKey('user_id', 'badge_id'),
  )
  await createIndex(schema, 'user_badge', ['badge_id', 'user_id'])
}
