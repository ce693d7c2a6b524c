import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createWebhooks(schema: Schema): Promise<void> {
  await createTable(schema, 'webhook', (t) =>
    t
      .id()
      .text('scope')
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .text('type')
      .text('name', '')
      .text('url')
      .text('content_type')
      .text('secret', '')
      .text('authorization_header', '')
      .text('events', '[]')
      .text('branch_filter', '')
      .text('settings', '{}')
      .flag('is_active')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'webhook', ['repo_id', 'id'])
  await createIndex(schema, 'webhook', ['owner_id', 'id'])
  await createIndex(schema, 'webhook', ['scope', 'id'])
}
