import { createIndex, createTable, type Schema } from './_helpers.ts'

/** Project boards of repositories and accounts, their columns, and the issues and pull requests in them. */
export async function createProjects(schema: Schema): Promise<void> {
  await createTable(schema, 'project', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('owner_id', 'user')
      .number('creator_id')
      .text('title')
      .text('description', '')
      .text('template_type')
      .text('card_type')
      .flag('is_closed')
      .number('closed_at', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'project', ['repo_id', 'is_closed', 'id'])
  await createIndex(schema, 'project', ['owner_id', 'is_closed', 'id'])

  await createTable(schema, 'project_column', (t) =>
    t
      .id()
      .reference('project_id', 'project')
      .number('creator_id')
      .text('title')
      .text('color', '')
      .flag('is_default')
      .number('sorting')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'project_column', ['project_id', 'sorting', 'id'])

  await createTable(schema, 'project_issue', (t) =>
    t
      .reference('project_id', 'project')
      .reference('issue_id', 'issue')
      .reference('column_id', 'project_column')
      .number('sorting')
      .number('repo_id')
      .flag('is_pull')
      .flag('is_closed')
      .primaryKey('project_id', 'issue_id'),
  )
  await createIndex(schema, 'project_issue', ['issue_id'])
  await createIndex(schema, 'project_issue', ['column_id', 'sorting', 'issue_id'])
  await createIndex(schema, 'project_issue', ['project_id', 'repo_id', 'is_pull', 'is_closed'])
}
