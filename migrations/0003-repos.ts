import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createRepos(schema: Schema): Promise<void> {
  await createTable(schema, 'repo', (t) =>
    t
      .id()
      .reference('owner_id', 'user')
      .text('name')
      .text('lower_name')
      .text('description', '')
      .text('website', '')
      .text('default_branch')
      .text('wiki_branch')
      .text('object_format')
      .text('storage')
      .flag('is_private')
      .flag('is_archived')
      .flag('is_empty', 1)
      .flag('is_mirror')
      .flag('is_fork')
      .flag('is_template')
      .number('fork_id', 0)
      .number('template_id', 0)
      .text('original_url', '')
      .text('avatar', '')
      .number('units')
      .text('settings', '{}')
      .text('trust_model', 'default')
      .text('topics', '[]')
      .text('licenses', '[]')
      .text('primary_language', '')
      .number('git_size', 0)
      .number('lfs_size', 0)
      .number('stars_count', 0)
      .number('forks_count', 0)
      .number('watchers_count', 0)
      .number('branches_count', 0)
      .number('releases_count', 0)
      .number('open_issues_count', 0)
      .number('closed_issues_count', 0)
      .number('open_pulls_count', 0)
      .number('closed_pulls_count', 0)
      .number('created_at')
      .number('updated_at')
      .number('pushed_at', 0)
      .number('archived_at', 0),
  )
  await createIndex(schema, 'repo', ['owner_id', 'lower_name'], { unique: true })
  await createIndex(schema, 'repo', ['storage'], { unique: true })
  await createIndex(schema, 'repo', ['fork_id', 'owner_id'])
  await createIndex(schema, 'repo', ['is_private', 'id'])

  await createTable(schema, 'repo_redirect', (t) =>
    t
      .reference('owner_id', 'user')
      .text('lower_name')
      .reference('repo_id', 'repo')
      .primaryKey('owner_id', 'lower_name'),
  )
  await createTable(schema, 'collaboration', (t) =>
    t
      .reference('repo_id', 'repo')
      .reference('user_id', 'user')
      .number('mode')
      .number('created_at')
      .primaryKey('repo_id', 'user_id'),
  )
  await createIndex(schema, 'collaboration', ['user_id', 'repo_id'])

  await createTable(schema, 'team_repo', (t) =>
    t
      .reference('team_id', 'team')
      .reference('org_id', 'user')
      .reference('repo_id', 'repo')
      .primaryKey('team_id', 'repo_id'),
  )
  await createIndex(schema, 'team_repo', ['repo_id', 'team_id'])

  await createTable(schema, 'star', (t) =>
    t.reference('user_id', 'user').reference('repo_id', 'repo').number('created_at').primaryKey('user_id', 'repo_id'),
  )
  await createIndex(schema, 'star', ['repo_id', 'user_id'])

  await createTable(schema, 'watch', (t) =>
    t
      .reference('user_id', 'user')
      .reference('repo_id', 'repo')
      .text('mode')
      .number('created_at')
      .primaryKey('user_id', 'repo_id'),
  )
  await createIndex(schema, 'watch', ['repo_id', 'user_id'])

  await createTable(schema, 'branch', (t) =>
    t.id().reference('repo_id', 'repo').text('name').text('oid').number('pusher_id').number('updated_at'),
  )
  await createIndex(schema, 'branch', ['repo_id', 'name'], { unique: true })

  await createTable(schema, 'push', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .number('pusher_id')
      .text('ref')
      .text('old_oid')
      .text('new_oid')
      .number('created_at'),
  )
  await createIndex(schema, 'push', ['repo_id', 'id'])
}
