import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from './_helpers.ts'

/**
 * Clients that every server knows: they have no owner and run on the user's own machine
 * (behaviour/auth-and-access#oauth2-applications).
 */
const BUILT_IN = [
  { key: 'git-credential-oauth', name: 'git-credential-oauth', client: 'a4792ccc-144e-407e-86c9-5e7d8d9c3269' },
  { key: 'git-credential-manager', name: 'Git Credential Manager', client: 'e90ee53c-94e2-48ac-9358-a874fb9e0662' },
  { key: 'tea', name: 'tea', client: 'd57cb8c4-630c-4168-8324-ec79935e18d4' },
]

export async function createOauth2(schema: Schema): Promise<void> {
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

  await createTable(schema, 'oauth_grant', (t) =>
    t
      .id()
      .reference('application_id', 'oauth_application')
      .reference('user_id', 'user')
      .text('scope', '')
      .number('counter', 0)
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
      .primaryKey('code_hash'),
  )
  await createIndex(schema, 'oauth_code', ['grant_id'])
  await createIndex(schema, 'oauth_code', ['expires_at'])

  const uris = JSON.stringify(['http://127.0.0.1', 'https://127.0.0.1'])
  for (const { key, name, client } of BUILT_IN) {
    await sql`insert into oauth_application (built_in, name, client_id, redirect_uris, created_at, updated_at) values (${key}, ${name}, ${client}, ${uris}, 0, 0)`.execute(
      schema.db,
    )
  }
}
