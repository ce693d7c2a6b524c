import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createUsers(schema: Schema): Promise<void> {
  await createTable(schema, 'user', (t) =>
    t
      .id()
      .text('kind')
      .text('name')
      .text('lower_name')
      .text('full_name', '')
      .text('email', '')
      .text('password_hash', '')
      .text('login_name', '')
      .number('source_id', 0)
      .text('visibility', 'public')
      .text('description', '')
      .text('location', '')
      .text('website', '')
      .text('pronouns', '')
      .text('language', '')
      .text('avatar', '')
      .flag('is_active', 1)
      .flag('is_admin')
      .flag('is_restricted')
      .flag('is_login_prohibited')
      .flag('must_change_password')
      .flag('is_email_hidden')
      .flag('can_create_organization', 1)
      .number('max_repo_creation', -1)
      .flag('repo_admin_change_team_access')
      .number('followers_count', 0)
      .number('following_count', 0)
      .number('stars_count', 0)
      .text('settings', '{}')
      .number('created_at')
      .number('updated_at')
      .number('last_login_at', 0),
  )
  await createIndex(schema, 'user', ['lower_name'], { unique: true })
  await createIndex(schema, 'user', ['kind', 'id'])

  await createTable(schema, 'email_address', (t) =>
    t.id().reference('user_id', 'user').text('email').text('lower_email').flag('is_activated', 1).flag('is_primary'),
  )
  await createIndex(schema, 'email_address', ['lower_email'], { unique: true })
  await createIndex(schema, 'email_address', ['user_id'])

  await createTable(schema, 'user_redirect', (t) =>
    t.text('lower_name').reference('user_id', 'user').primaryKey('lower_name'),
  )

  await createTable(schema, 'follow', (t) =>
    t
      .reference('user_id', 'user')
      .reference('followed_id', 'user')
      .number('created_at')
      .primaryKey('user_id', 'followed_id'),
  )
  await createIndex(schema, 'follow', ['followed_id', 'user_id'])

  await createTable(schema, 'access_token', (t) =>
    t
      .id()
      .reference('user_id', 'user')
      .text('name')
      .text('token_hash')
      .text('last_eight')
      .text('scopes')
      .number('created_at')
      .number('last_used_at', 0)
      .number('expires_at', 0),
  )
  await createIndex(schema, 'access_token', ['token_hash'], { unique: true })
  await createIndex(schema, 'access_token', ['user_id', 'name'], { unique: true })
}
