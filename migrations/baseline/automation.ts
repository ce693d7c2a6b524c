import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createAutomationTables(schema: Schema): Promise<void> {
  await createTable(schema, 'actions_secret', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .text('name')
      .text('description', '')
      .text('value')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'actions_secret', ['repo_id', 'name'], { unique: true })
  await createIndex(schema, 'actions_secret', ['owner_id', 'name'], { unique: true })

  await createTable(schema, 'actions_variable', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .text('name')
      .text('description', '')
      .text('value')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'actions_variable', ['repo_id', 'name'], { unique: true })
  await createIndex(schema, 'actions_variable', ['owner_id', 'name'], { unique: true })

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
  // One token of each owner is active; an index over columns alone would take two nulls for different.
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
  await createIndex(schema, 'action_queue', ['owner_id'])
  await createIndex(schema, 'action_queue', ['repo_id'])
  await sql`create unique index action_queue_place_key
    on action_queue (coalesce(owner_id, 0), coalesce(repo_id, 0))`.execute(schema.db)

  await createTable(schema, 'action_repo', (t) =>
    t.reference('repo_id', 'repo').number('last_run_number', 0).text('disabled_workflows', '[]').primaryKey('repo_id'),
  )

  await createTable(schema, 'action_run', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .number('number')
      .text('workflow')
      .text('workflow_path')
      .text('title')
      .text('event')
      .text('ref')
      .text('oid')
      .number('actor_id')
      .text('payload', '{}')
      .flag('is_from_fork')
      .flag('needs_approval')
      .number('approver_id', 0)
      .text('concurrency_group', '')
      .flag('cancels_in_progress')
      .text('status')
      .number('started_at', 0)
      .number('stopped_at', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_run', ['repo_id', 'number'], { unique: true })
  await createIndex(schema, 'action_run', ['repo_id', 'id'])
  await createIndex(schema, 'action_run', ['repo_id', 'status', 'id'])
  await createIndex(schema, 'action_run', ['repo_id', 'workflow', 'id'])
  await createIndex(schema, 'action_run', ['repo_id', 'concurrency_group'])

  await createTable(schema, 'action_job', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .reference('run_id', 'action_run')
      .text('key')
      .text('name')
      .text('needs', '[]')
      .text('labels', '[]')
      .text('payload', '')
      .flag('has_condition')
      .text('concurrency', '')
      .text('concurrency_group', '')
      .flag('cancels_in_progress')
      .number('attempt', 0)
      .number('task_id', 0)
      .text('status')
      .number('started_at', 0)
      .number('stopped_at', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_job', ['run_id', 'id'])
  await createIndex(schema, 'action_job', ['repo_id', 'status', 'id'])
  await createIndex(schema, 'action_job', ['repo_id', 'concurrency_group'])
  await createIndex(schema, 'action_job', ['status', 'updated_at', 'id'])

  await createTable(schema, 'action_task', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .reference('job_id', 'action_job')
      .number('runner_id')
      .text('runner_name')
      .number('attempt')
      .text('status')
      .text('token_hash', '')
      .text('log_hash', '')
      .number('log_size', 0)
      .number('log_lines', 0)
      .flag('is_log_sealed')
      .flag('is_log_expired')
      .number('started_at', 0)
      .number('stopped_at', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_task', ['repo_id', 'id'])
  await createIndex(schema, 'action_task', ['job_id', 'id'])
  await createIndex(schema, 'action_task', ['runner_id', 'status'])
  await createIndex(schema, 'action_task', ['status', 'updated_at'])
  await createIndex(schema, 'action_task', ['is_log_expired', 'stopped_at'])
  await createIndex(schema, 'action_task', ['log_hash'])
  await createIndex(schema, 'action_task', ['token_hash'])

  await createTable(schema, 'action_step', (t) =>
    t
      .reference('task_id', 'action_task')
      .number('number')
      .text('name')
      .text('status')
      .number('log_index', 0)
      .number('log_length', 0)
      .number('started_at', 0)
      .number('stopped_at', 0)
      .primaryKey('task_id', 'number'),
  )

  await createTable(schema, 'action_log', (t) =>
    t.reference('task_id', 'action_task').number('first_line').text('text').primaryKey('task_id', 'first_line'),
  )

  await createTable(schema, 'action_artifact', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .reference('run_id', 'action_run')
      .number('task_id')
      .text('name')
      .text('path', '')
      .text('protocol')
      .text('status')
      .text('encoding', '')
      .text('hash', '')
      .number('size', 0)
      .number('expires_at')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'action_artifact', ['run_id', 'name', 'path'], { unique: true })
  await createIndex(schema, 'action_artifact', ['repo_id', 'id'])
  await createIndex(schema, 'action_artifact', ['status', 'expires_at'])
  await createIndex(schema, 'action_artifact', ['hash'])
}
