import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createIssues(schema: Schema): Promise<void> {
  await createTable(schema, 'issue_sequence', (t) =>
    t.reference('repo_id', 'repo').number('last').primaryKey('repo_id'),
  )

  await createTable(schema, 'issue', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .number('number')
      .flag('is_pull')
      .flag('is_closed')
      .number('poster_id')
      .text('title')
      .text('ref', '')
      .number('milestone_id', 0)
      .number('due_at', 0)
      .number('comments_count', 0)
      .flag('is_locked')
      .number('pin_order', 0)
      .number('content_version', 0)
      .number('time_estimate', 0)
      .number('created_at')
      .number('updated_at')
      .number('closed_at', 0)
      .text('body', ''),
  )
  await createIndex(schema, 'issue', ['repo_id', 'number'], { unique: true })
  // The orders of lists, with what their most frequent filters read.
  await createIndex(schema, 'issue', ['repo_id', 'is_closed', 'created_at', 'id', 'is_pull'])
  await createIndex(schema, 'issue', ['repo_id', 'created_at', 'id', 'is_pull'])
  await createIndex(schema, 'issue', ['repo_id', 'updated_at', 'created_at', 'id', 'is_closed', 'is_pull'])
  await createIndex(schema, 'issue', ['repo_id', 'comments_count', 'created_at', 'id', 'is_closed', 'is_pull'])
  await createIndex(schema, 'issue', ['repo_id', 'due_at', 'created_at', 'id', 'is_closed', 'is_pull'])
  await createIndex(schema, 'issue', ['repo_id', 'poster_id', 'is_closed', 'created_at', 'id', 'is_pull'])
  await createIndex(schema, 'issue', ['milestone_id', 'is_closed', 'created_at', 'id', 'is_pull'])
  // Searches of all repositories.
  await createIndex(schema, 'issue', ['poster_id', 'is_closed', 'created_at', 'id', 'repo_id', 'is_pull'])
  await createIndex(schema, 'issue', ['is_closed', 'created_at', 'id', 'repo_id', 'is_pull'])
  await createIndex(schema, 'issue', ['updated_at', 'id'])

  // The state, kind and creation time are those of the issue: lists with a filter read one index.
  await createTable(schema, 'issue_label', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('label_id', 'label')
      .number('repo_id')
      .flag('is_closed')
      .flag('is_pull')
      .number('created_at')
      .primaryKey('issue_id', 'label_id'),
  )
  await createIndex(schema, 'issue_label', ['label_id', 'repo_id', 'is_closed', 'created_at', 'issue_id', 'is_pull'])

  await createTable(schema, 'issue_assignee', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('user_id', 'user')
      .number('position')
      .reference('repo_id', 'repo')
      .flag('is_closed')
      .flag('is_pull')
      .number('created_at')
      .primaryKey('issue_id', 'user_id'),
  )
  await createIndex(schema, 'issue_assignee', ['user_id', 'is_closed', 'created_at', 'issue_id', 'repo_id', 'is_pull'])
  await createIndex(schema, 'issue_assignee', ['repo_id', 'user_id', 'is_closed', 'created_at', 'issue_id', 'is_pull'])

  await createTable(schema, 'timeline_entry', (t) =>
    t
      .id()
      .reference('issue_id', 'issue')
      .number('repo_id')
      .text('kind')
      .number('actor_id')
      .number('target_id', 0)
      .number('created_at')
      .number('updated_at')
      .text('payload', '')
      .text('body', ''),
  )
  await createIndex(schema, 'timeline_entry', ['issue_id', 'created_at', 'id', 'kind'])
  await createIndex(schema, 'timeline_entry', ['repo_id', 'kind', 'created_at', 'id'])
  await createIndex(schema, 'timeline_entry', ['target_id', 'kind'])
}
