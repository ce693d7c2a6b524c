import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createActionRuns(schema: Schema): Promise<void> {
  await createTable(schema, 'action_repo', (t) =>
    t.reference('repo_id', 'repo').number('last_run_number', 0).text('disabled_workflows', '[]').primaryKey('repo_id'),
  )
  await createRuns(schema)
  await createJobs(schema)
  await createTasks(schema)
}

async function createRuns(schema: Schema): Promise<void> {
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
}

async function createJobs(schema: Schema): Promise<void> {
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
  // In the order in which runners take them.
  await createIndex(schema, 'action_job', ['status', 'updated_at', 'id'])
}

async function createTasks(schema: Schema): Promise<void> {
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
}
