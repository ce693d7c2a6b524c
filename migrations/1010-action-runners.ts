import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createActionRunners(schema: Schema): Promise<void> {
  await createTable(schema, 'action_registration_token', (t) =>
    t
      .id()
      .optionalReference('owner_id', 'user')
      .optionalReference('repo_id', 'repo')
      .text('hash')
      .text('sealed')
      .flag('is_active', 1)
      .number('created_at'),
  )
  await createIndex(schema, 'action_registration_token', ['hash'], { unique: true })
  await createIndex(schema, 'action_registration_token', ['owner_id'])
  await createIndex(schema, 'action_registration_token', ['repo_id'])
  // Of each place one token is active; an index over columns alone would take two nulls for different.
  await sql`create unique index action_registration_token_active_key
    on action_registration_token (coalesce(owner_id, 0), coalesce(repo_id, 0)) where is_active = 1`.execute(schema.db)
  await createTable(schema, 'action_runner', (t) =>
    t
      .id()
      .text('uuid')
      .text('name')
      .optionalReference('owner_id', 'user')
      .optionalReference('repo_id', 'repo')
      .text('token_hash')
      .text('version', '')
      .text('labels', '[]')
      .flag('is_disabled')
      .flag('is_ephemeral')
      .number('online_at', 0)
      .number('active_at', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_runner', ['uuid'], { unique: true })
  await createIndex(schema, 'action_runner', ['owner_id', 'online_at', 'id'])
  await createIndex(schema, 'action_runner', ['repo_id', 'online_at', 'id'])
  await createIndex(schema, 'action_runner', ['online_at', 'id'])
  await createTable(schema, 'action_queue', (t) =>
    t.optionalReference('owner_id', 'user').optionalReference('repo_id', 'repo').number('version'),
  )
  await sql`create unique index action_queue_place_key
    on action_queue (coalesce(owner_id, 0), coalesce(repo_id, 0))`.execute(schema.db)
  await createIndex(schema, 'action_queue', ['owner_id'])
  await createIndex(schema, 'action_queue', ['repo_id'])
}
