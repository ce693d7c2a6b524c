import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Primary keys and their subkeys; an id belongs to one user. */
export async function createGpgKeys(schema: Schema): Promise<void> {
  await createTable(schema, 'gpg_key', (t) =>
    t
      .id()
      .reference('user_id', 'user')
      .text('key_id')
      .text('primary_key_id', '')
      .text('packet')
      .text('armored', '')
      .text('emails', '[]')
      .flag('can_sign')
      .flag('can_encrypt')
      .flag('is_verified')
      .number('created_at')
      .number('expires_at', 0),
  )
  await createIndex(schema, 'gpg_key', ['key_id'], { unique: true })
  await createIndex(schema, 'gpg_key', ['user_id', 'primary_key_id', 'id'])
}
