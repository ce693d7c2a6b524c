import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createQuota(schema: Schema): Promise<void> {
  await createTable(schema, 'quota_rule', (t) => t.id().text('name').number('size_limit').text('subjects', '[]'))
  await createIndex(schema, 'quota_rule', ['name'], { unique: true })
  await createTable(schema, 'quota_group', (t) => t.id().text('name'))
  await createIndex(schema, 'quota_group', ['name'], { unique: true })
  await createTable(schema, 'quota_group_rule', (t) =>
    t.reference('group_id', 'quota_group').reference('rule_id', 'quota_rule').primaryKey('group_id', 'rule_id'),
  )
  await createIndex(schema, 'quota_group_rule', ['rule_id'])
  await createTable(schema, 'quota_group_user', (t) =>
    t.reference('user_id', 'user').reference('group_id', 'quota_group').primaryKey('user_id', 'group_id'),
  )
  await createIndex(schema, 'quota_group_user', ['group_id'])
}
