import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createProtections(schema: Schema): Promise<void> {
  await createTable(schema, 'branch_rule', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('name')
      .number('priority')
      .text('settings')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'branch_rule', ['repo_id', 'name'], { unique: true })
  await createTable(schema, 'branch_rule_user', (t) =>
    t
      .reference('rule_id', 'branch_rule')
      .text('list')
      .reference('user_id', 'user')
      .primaryKey('rule_id', 'list', 'user_id'),
  )
  await createIndex(schema, 'branch_rule_user', ['user_id'])
  await createTable(schema, 'branch_rule_team', (t) =>
    t
      .reference('rule_id', 'branch_rule')
      .text('list')
      .reference('team_id', 'team')
      .primaryKey('rule_id', 'list', 'team_id'),
  )
  await createIndex(schema, 'branch_rule_team', ['team_id'])

  await createTable(schema, 'tag_rule', (t) =>
    t.id().reference('repo_id', 'repo').text('pattern').number('created_at').number('updated_at'),
  )
  await createIndex(schema, 'tag_rule', ['repo_id', 'pattern'], { unique: true })
  await createTable(schema, 'tag_rule_user', (t) =>
    t.reference('rule_id', 'tag_rule').reference('user_id', 'user').primaryKey('rule_id', 'user_id'),
  )
  await createIndex(schema, 'tag_rule_user', ['user_id'])
  await createTable(schema, 'tag_rule_team', (t) =>
    t.reference('rule_id', 'tag_rule').reference('team_id', 'team').primaryKey('rule_id', 'team_id'),
  )
  await createIndex(schema, 'tag_rule_team', ['team_id'])
}
