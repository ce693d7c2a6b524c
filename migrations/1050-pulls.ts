import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createPulls(schema: Schema): Promise<void> {
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
  // The open pull requests of a branch that moved, as head and as base.
  await createIndex(schema, 'pull', ['head_repo_id', 'is_closed', 'head_branch'])
  await createIndex(schema, 'pull', ['base_repo_id', 'is_closed', 'base_branch'])
  // The pull request that a commit was made by.
  await createIndex(schema, 'pull', ['base_repo_id', 'merged_oid'])
}
