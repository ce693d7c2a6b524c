import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createDeliveryTables(schema: Schema): Promise<void> {
  await createTable(schema, 'webhook', (t) =>
    t
      .id()
      .text('scope')
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .text('type')
      .text('name', '')
      .text('url')
      .text('content_type')
      .text('secret', '')
      .text('authorization_header', '')
      .text('events', '[]')
      .text('branch_filter', '')
      .text('settings', '{}')
      .flag('is_active')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'webhook', ['repo_id', 'id'])
  await createIndex(schema, 'webhook', ['owner_id', 'id'])
  await createIndex(schema, 'webhook', ['scope', 'id'])

  // The choices of users about single issues; most subscribe to an issue without one.
  await createTable(schema, 'issue_watch', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('user_id', 'user')
      .flag('is_watching')
      .number('created_at')
      .primaryKey('issue_id', 'user_id'),
  )
  await createIndex(schema, 'issue_watch', ['user_id'])

  await createTable(schema, 'notification', (t) =>
    t
      .id()
      .reference('user_id', 'user')
      .reference('repo_id', 'repo')
      .optionalReference('issue_id', 'issue')
      .text('kind')
      .text('status')
      .text('reason')
      .number('updated_at'),
  )
  await createIndex(schema, 'notification', ['issue_id', 'user_id'], { unique: true })
  await createIndex(schema, 'notification', ['user_id', 'status', 'updated_at', 'id', 'kind', 'repo_id'])
  await createIndex(schema, 'notification', ['repo_id', 'user_id', 'status', 'updated_at', 'id', 'kind'])

  await createTable(schema, 'hook_event', (t) =>
    t
      .number('event_id')
      .number('attempts', 0)
      .number('next_at', 0)
      .number('lease_until', 0)
      .text('holder', '')
      .primaryKey('event_id'),
  )

  await createTable(schema, 'hook_message', (t) =>
    t.id().text('event').text('event_type').text('action', '').text('payload').number('created_at'),
  )

  await createTable(schema, 'hook_delivery', (t) =>
    t
      .id()
      .text('uuid')
      .reference('hook_id', 'webhook')
      .reference('message_id', 'hook_message')
      .text('state', 'waiting')
      .number('attempts', 0)
      .number('queued_at')
      .number('created_at')
      .number('finished_at', 0)
      .text('url', '')
      .text('request_headers', '{}')
      .text('request_body', '')
      .number('response_status', 0)
      .text('response_headers', '{}')
      .text('response_body', '')
      .number('duration_ms', 0)
      .text('error', '')
      .text('history', '[]'),
  )
  await createIndex(schema, 'hook_delivery', ['uuid'], { unique: true })
  await createIndex(schema, 'hook_delivery', ['hook_id', 'state', 'id'])
  await createIndex(schema, 'hook_delivery', ['message_id'])
  await createIndex(schema, 'hook_delivery', ['state', 'id'])
  await createIndex(schema, 'hook_delivery', ['finished_at'])

  await createTable(schema, 'hook_lane', (t) =>
    t
      .reference('hook_id', 'webhook')
      .text('origin')
      .number('due_at', 0)
      .number('lease_until', 0)
      .text('holder', '')
      .number('failures', 0)
      .text('last_status', '')
      .primaryKey('hook_id'),
  )
  await createIndex(schema, 'hook_lane', ['due_at'])

  await createTable(schema, 'hook_origin', (t) =>
    t.text('origin').number('failures', 0).number('retry_at', 0).text('error', '').primaryKey('origin'),
  )
}
