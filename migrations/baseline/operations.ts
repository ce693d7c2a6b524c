import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createOperationsTables(schema: Schema): Promise<void> {
  await createTable(schema, 'badge', (t) => t.id().text('slug').text('description', '').text('image_url', ''))
  await createIndex(schema, 'badge', ['slug'], { unique: true })

  await createTable(schema, 'user_badge', (t) =>
    t.reference('user_id', 'user').reference('badge_id', 'badge').primaryKey('user_id', 'badge_id'),
  )
  await createIndex(schema, 'user_badge', ['badge_id', 'user_id'])

  // Entries are inserted and, once they are old enough, deleted; the database refuses to change one.
  await createTable(schema, 'audit_entry', (t) =>
    t
      .id()
      .number('created_at')
      .text('action')
      .text('outcome')
      .number('actor_id')
      .text('actor_name')
      .text('lower_actor_name')
      .number('sudo_by_id', 0)
      .text('sudo_by_name', '')
      .text('credential')
      .number('credential_id', 0)
      .text('credential_name', '')
      .text('address', '')
      .text('user_agent', '')
      .text('target_kind')
      .number('target_id')
      .text('target_name')
      .text('lower_target_name')
      .text('details', '{}'),
  )
  await createIndex(schema, 'audit_entry', ['created_at'])
  await createIndex(schema, 'audit_entry', ['action', 'id'])
  await createIndex(schema, 'audit_entry', ['lower_actor_name', 'id'])
  await createIndex(schema, 'audit_entry', ['lower_target_name', 'id'])
  await refuseUpdates(schema)

  // The servers on one PostgreSQL, with their heartbeats.
  await createTable(schema, 'node', (t) =>
    t
      .text('instance')
      .text('name')
      .text('host')
      .number('pid')
      .text('version')
      .text('schema')
      .text('address')
      .number('workers')
      .number('started_at')
      .number('heartbeat_at')
      .number('clock_offset')
      .number('sender_pid')
      .primaryKey('instance'),
  )
}

async function refuseUpdates({ db, dialect }: Schema): Promise<void> {
  if (dialect === 'sqlite') {
    await sql`create trigger audit_entry_append_only before update on audit_entry
      begin select raise(abort, 'audit entries are never changed'); end`.execute(db)
    return
  }
  await sql`create function audit_entry_refuse_update() returns trigger language plpgsql as
    $$ begin raise exception 'audit entries are never changed'; end $$`.execute(db)
  await sql`create trigger audit_entry_append_only before update on audit_entry
    for each row execute function audit_entry_refuse_update()`.execute(db)
}
