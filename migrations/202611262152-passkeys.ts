import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function addPasskeys(schema: Schema): Promise<void> {
  await createTable(schema, 'passkey', (t) =>
    t
      .id()
      .reference('user_id', 'user')
      .text('name')
      .text('credential_id')
      .text('public_key')
      .text('transports')
      .text('user_handle')
      .number('sign_count', 0)
      .number('created_at')
      .number('last_used_at', 0),
  )
  await createIndex(schema, 'passkey', ['credential_id'], { unique: true })
  await createIndex(schema, 'passkey', ['user_id'])

  await createTable(schema, 'used_passkey_challenge', (t) =>
    t.text('challenge_hash').number('expires_at').primaryKey('challenge_hash'),
  )
  await createIndex(schema, 'used_passkey_challenge', ['expires_at'])
}
