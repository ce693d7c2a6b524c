import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createTwoFactor(schema: Schema): Promise<void> {
  await createTable(schema, 'two_factor', (t) =>
    t
      .reference('user_id', 'user')
      .text('secret')
      .flag('is_confirmed')
      .number('last_step', 0)
      .number('created_at')
      .primaryKey('user_id'),
  )
  await createTable(schema, 'two_factor_recovery', (t) => t.id().reference('user_id', 'user').text('code_hash'))
  await createIndex(schema, 'two_factor_recovery', ['user_id', 'code_hash'], { unique: true })
}
