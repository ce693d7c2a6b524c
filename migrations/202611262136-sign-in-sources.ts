import { addColumn, createIndex, createTable, type Schema } from './_helpers.ts'

/** Directories and identity providers, and the accounts that they know. */
export async function createSignInSources(schema: Schema): Promise<void> {
  await createTable(schema, 'sign_in_source', (t) =>
    t
      .id()
      .text('kind')
      .text('name')
      .text('lower_name')
      .flag('is_active', 1)
      .text('settings', '')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'sign_in_source', ['lower_name'], { unique: true })
  await createTable(schema, 'external_identity', (t) =>
    t
      .reference('source_id', 'sign_in_source')
      .text('subject')
      .reference('user_id', 'user')
      .text('login_name', '')
      .number('created_at')
      .number('seen_at', 0)
      .number('gone_at', 0)
      .primaryKey('source_id', 'subject'),
  )
  await createIndex(schema, 'external_identity', ['user_id', 'source_id'], { unique: true })
  await createIndex(schema, 'external_identity', ['source_id', 'seen_at'])
  await createIndex(schema, 'user', ['source_id', 'login_name'])
  // Of keys that a directory gave: only it changes them.
  await addColumn(schema, 'user_key', { name: 'source_id', type: 'number', initial: 0 })
}
