import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createPullsTables(schema: Schema): Promise<void> {
  await createTable(schema, 'pull', (t) =>
    t
      .id()
      .reference('issue_id', 'issue')
      .number('base_repo_id')
      .text('base_branch')
      .number('head_repo_id')
      .text('head_branch')
      .flag('is_agit')
      .text('head_oid')
      .text('merge_base')
      .text('mergeability', 'checking')
      .text('checked_base_oid', '')
      .text('checked_head_oid', '')
      .text('conflicts', '')
      .flag('is_closed')
      .flag('is_draft')
      .flag('allows_maintainer_edit')
      .flag('is_merged')
      .text('merged_oid', '')
      .text('merge_style', '')
      .number('merged_by_id', 0)
      .number('merged_at', 0),
  )
  await createIndex(schema, 'pull', ['issue_id'], { unique: true })
  await createIndex(schema, 'pull', ['head_repo_id', 'is_closed', 'head_branch'])
  await createIndex(schema, 'pull', ['base_repo_id', 'is_closed', 'base_branch'])
  await createIndex(schema, 'pull', ['base_repo_id', 'merged_oid'])

  await createTable(schema, 'review', (t) =>
    t
      .id()
      .reference('pull_id', 'pull')
      .number('issue_id')
      .text('kind')
      .number('reviewer_id', 0)
      .number('team_id', 0)
      .text('body', '')
      .text('commit_oid', '')
      .flag('is_official')
      .flag('is_stale')
      .flag('is_dismissed')
      .number('entry_id', 0)
      .number('created_at')
      .number('updated_at')
      .number('submitted_at', 0)
      .text('former_base', ''),
  )
  await createIndex(schema, 'review', ['pull_id', 'id'])
  await createIndex(schema, 'review', ['reviewer_id', 'kind', 'issue_id'])
  await createIndex(schema, 'review', ['team_id', 'kind', 'issue_id'])

  await createTable(schema, 'review_comment', (t) =>
    t
      .reference('entry_id', 'timeline_entry')
      .reference('review_id', 'review')
      .number('pull_id')
      .text('path')
      .text('side')
      .number('line')
      .number('start_line')
      .text('commit_oid')
      .text('base_oid')
      .text('line_commit_oid', '')
      .text('diff_hunk', '')
      .flag('is_outdated')
      .number('resolver_id', 0)
      .number('reply_to', 0)
      .primaryKey('entry_id'),
  )
  await createIndex(schema, 'review_comment', ['review_id', 'entry_id'])
  await createIndex(schema, 'review_comment', ['pull_id', 'is_outdated'])

  await createTable(schema, 'merge_intent', (t) =>
    t
      .reference('pull_id', 'pull')
      .number('repo_id')
      .text('base_branch')
      .text('oid')
      .text('style')
      .number('actor_id')
      .flag('is_auto')
      .flag('deletes_branch')
      .number('created_at')
      .text('server', '')
      .text('restriction', '')
      .primaryKey('pull_id'),
  )
  await createIndex(schema, 'merge_intent', ['repo_id'])

  await createTable(schema, 'merge_schedule', (t) =>
    t
      .reference('pull_id', 'pull')
      .number('issue_id')
      .number('repo_id')
      .number('actor_id')
      .text('style')
      .text('title')
      .text('message')
      .text('deletes_branch')
      .number('created_at')
      .text('head_oid', '')
      .text('restriction', '')
      .primaryKey('pull_id'),
  )
  await createIndex(schema, 'merge_schedule', ['repo_id'])

  await createTable(schema, 'merge_queue_batch', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('branch')
      .text('state')
      .text('base_oid', '')
      .text('oid', '')
      .number('built_at', 0)
      .number('created_at')
      .flag('is_announced'),
  )
  await createIndex(schema, 'merge_queue_batch', ['repo_id', 'branch'], { unique: true })
  await createIndex(schema, 'merge_queue_batch', ['repo_id', 'oid'])

  await createTable(schema, 'merge_queue_entry', (t) =>
    t
      .reference('pull_id', 'pull')
      .number('issue_id')
      .reference('repo_id', 'repo')
      .text('branch')
      .number('position')
      .number('actor_id')
      .text('style')
      .text('title')
      .text('message')
      .text('deletes_branch')
      .text('head_oid')
      .number('batch_id', 0)
      .text('oid', '')
      .number('suspect_id', 0)
      .number('max_batch', 0)
      .text('failure', '')
      .number('created_at')
      .text('restriction', '')
      .primaryKey('pull_id'),
  )
  await createIndex(schema, 'merge_queue_entry', ['repo_id', 'branch', 'position'])
}
