import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createAccountsTables(schema: Schema): Promise<void> {
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
      .number('last_login_at', 0)
      .text('search_text', ''),
  )
  await createIndex(schema, 'user', ['lower_name'], { unique: true })
  await createIndex(schema, 'user', ['kind', 'id'])
  // The columns of user search, in one narrow index that also gives the order of its results.
  await createIndex(schema, 'user', ['kind', 'lower_name', 'visibility', 'search_text', 'id'])
  await createIndex(schema, 'user', ['avatar'])
  await createIndex(schema, 'user', ['visibility', 'kind'])

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
      .number('expires_at', 0)
      .text('only_repos', ''),
  )
  await createIndex(schema, 'access_token', ['token_hash'], { unique: true })
  await createIndex(schema, 'access_token', ['user_id', 'name'], { unique: true })

  await createTable(schema, 'org_member', (t) =>
    t
      .reference('org_id', 'user')
      .reference('user_id', 'user')
      .flag('is_public')
      .number('joined_at', 0)
      .primaryKey('org_id', 'user_id'),
  )
  await createIndex(schema, 'org_member', ['user_id', 'org_id'])
  await createIndex(schema, 'org_member', ['org_id', 'joined_at', 'user_id'])

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

  // One space of SSH keys: a fingerprint belongs to one user, or to any number of repositories as a deploy key.
  await createTable(schema, 'public_key', (t) => t.id().text('fingerprint').text('algorithm').text('blob').text('kind'))
  await createIndex(schema, 'public_key', ['fingerprint'], { unique: true })

  await createTable(schema, 'user_key', (t) =>
    t
      .id()
      .reference('key_id', 'public_key')
      .reference('user_id', 'user')
      .text('title')
      .text('comment', '')
      .number('created_at')
      .number('last_used_at', 0),
  )
  await createIndex(schema, 'user_key', ['key_id'], { unique: true })
  await createIndex(schema, 'user_key', ['user_id', 'title'], { unique: true })
  await createIndex(schema, 'user_key', ['user_id', 'id'])

  await createTable(schema, 'user_block', (t) =>
    t
      .reference('blocker_id', 'user')
      .reference('blocked_id', 'user')
      .text('note', '')
      .number('created_at')
      .primaryKey('blocker_id', 'blocked_id'),
  )
  await createIndex(schema, 'user_block', ['blocked_id', 'blocker_id'])

  await createTable(schema, 'oauth_application', (t) =>
    t
      .id()
      .optionalReference('user_id', 'user')
      .text('built_in', '')
      .text('name')
      .text('client_id')
      .text('secret_hash', '')
      .text('redirect_uris', '[]')
      .flag('is_confidential')
      .flag('skips_consent')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'oauth_application', ['client_id'], { unique: true })
  await createIndex(schema, 'oauth_application', ['user_id', 'id'])
  for (const { key, name, client } of BUILT_IN_CLIENTS)
    await sql`insert into oauth_application (built_in, name, client_id, redirect_uris, created_at, updated_at)
      values (${key}, ${name}, ${client}, ${LOOPBACK}, 0, 0)`.execute(schema.db)

  await createTable(schema, 'oauth_grant', (t) =>
    t
      .id()
      .reference('application_id', 'oauth_application')
      .reference('user_id', 'user')
      .text('scope', '')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'oauth_grant', ['user_id', 'application_id'], { unique: true })
  await createIndex(schema, 'oauth_grant', ['application_id'])

  await createTable(schema, 'oauth_code', (t) =>
    t
      .text('code_hash')
      .reference('grant_id', 'oauth_grant')
      .text('redirect_uri')
      .text('challenge', '')
      .text('challenge_method', '')
      .text('nonce', '')
      .number('expires_at')
      .number('chain_id', 0)
      .primaryKey('code_hash'),
  )
  await createIndex(schema, 'oauth_code', ['grant_id'])
  await createIndex(schema, 'oauth_code', ['expires_at'])

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

  await createTable(schema, 'web_session', (t) =>
    t
      .text('token_hash')
      .reference('user_id', 'user')
      .number('created_at')
      .number('expires_at')
      .primaryKey('token_hash'),
  )
  await createIndex(schema, 'web_session', ['user_id'])
  await createIndex(schema, 'web_session', ['expires_at'])

  await createTable(schema, 'signing_key', (t) =>
    t.text('purpose').text('key_id').text('private_key').text('public_key').number('created_at').primaryKey('purpose'),
  )

  // The tokens issued for an authorization code, which are revoked when the code is sent again (RFC 6819 section
  // 4.4.1.1).
  await createTable(schema, 'oauth_chain', (t) =>
    t.id().reference('grant_id', 'oauth_grant').number('counter', 0).number('rotated_at').number('expires_at'),
  )
  await createIndex(schema, 'oauth_chain', ['grant_id'])
  await createIndex(schema, 'oauth_chain', ['expires_at'])

  // Primary keys and their subkeys; an id belongs to one user.
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

/**
 * Clients that every server knows: they have no owner and run on the user's own machine
 * (behaviour/auth-and-access#oauth2-applications).
 */
const BUILT_IN_CLIENTS = [
  { key: 'git-credential-oauth', name: 'git-credential-oauth', client: 'a4792ccc-144e-407e-86c9-5e7d8d9c3269' },
  { key: 'git-credential-manager', name: 'Git Credential Manager', client: 'e90ee53c-94e2-48ac-9358-a874fb9e0662' },
  { key: 'tea', name: 'tea', client: 'd57cb8c4-630c-4168-8324-ec79935e18d4' },
]
const LOOPBACK = JSON.stringify(['http://127.0.0.1', 'https://127.0.0.1'])
