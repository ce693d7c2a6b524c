import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createUserBlocks(schema: Schema): Promise<void> {
  await createTable(schema, 'user_block', (t) =>
    t
      .reference('blocker_id', 'user')
      .reference('blocked_id', 'user')
      .text('note', '')
      .number('created_at')
      .primaryKey('blocker_id', 'blocked_id'),
  )
  await createIndex(schema, 'user_block', ['blocked_id', 'blocker_id'])
}
