import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createOrganizations(schema: Schema): Promise<void> {
  await createTable(schema, 'org_member', (t) =>
    t.reference('org_id', 'user').reference('user_id', 'user').flag('is_public').primaryKey('org_id', 'user_id'),
  )
  await createIndex(schema, 'org_member', ['user_id', 'org_id'])

  await createTable(schema, 'team', (t) =>
    t
      .id()
      .reference('org_id', 'user')
      .text('name')
      .text('lower_name')
      .text('description', '')
      .number('mode', 0)
      .flag('includes_all_repositories')
      .flag('can_create_org_repo')
      .number('created_at'),
  )
  await createIndex(schema, 'team', ['org_id', 'lower_name'], { unique: true })

  await createTable(schema, 'team_unit', (t) =>
    t.reference('team_id', 'team').text('unit').number('mode').primaryKey('team_id', 'unit'),
  )

  await createTable(schema, 'team_member', (t) =>
    t
      .reference('team_id', 'team')
      .reference('org_id', 'user')
      .reference('user_id', 'user')
      .primaryKey('team_id', 'user_id'),
  )
  await createIndex(schema, 'team_member', ['user_id', 'org_id'])
}
