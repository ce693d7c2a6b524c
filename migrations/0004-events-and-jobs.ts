import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createEventsAndJobs(schema: Schema): Promise<void> {
  await createTable(schema, 'event', (t) =>
    t
      .id()
      .text('kind')
      .number('repo_id', 0)
      .number('actor_id', 0)
      .text('payload')
      .number('created_at')
      .number('dispatched_at', 0)
      .number('attempts', 0)
      .number('next_attempt_at', 0)
      .text('last_error', ''),
  )
  await createIndex(schema, 'event', ['dispatched_at', 'repo_id', 'id'])

  await createTable(schema, 'job', (t) =>
    t
      .id()
      .text('kind')
      .text('key')
      .text('payload')
      .text('state', 'waiting')
      .number('run_at')
      .number('lease_until', 0)
      .number('attempts', 0)
      .text('last_error', '')
      .number('created_at'),
  )
  await createIndex(schema, 'job', ['state', 'run_at'])
  await createIndex(schema, 'job', ['kind', 'key', 'state'])

  await createTable(schema, 'cron_task', (t) =>
    t.text('name').number('last_run_at', 0).number('runs_count', 0).primaryKey('name'),
  )
}
