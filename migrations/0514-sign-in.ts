import { createIndex, createTable, type Schema } from './_helpers.ts'

/**
 * Sessions of the pages, the key of the OAuth2 provider, and one chain of refresh tokens for each time a user let an
 * application in.
 */
export async function createSignIn(schema: Schema): Promise<void> {
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

  await createTable(schema, 'oauth_chain', (t) =>
    t.id().reference('grant_id', 'oauth_grant').number('counter', 0).number('rotated_at').number('expires_at'),
  )
  await createIndex(schema, 'oauth_chain', ['grant_id'])
  await createIndex(schema, 'oauth_chain', ['expires_at'])
  await schema.db.schema.alterTable('oauth_grant').dropColumn('counter').execute()
}
