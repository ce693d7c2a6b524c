import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createCodeTables(schema: Schema): Promise<void> {
  // The languages of a repository at one commit.
  await createTable(schema, 'repo_languages', (t) =>
    t.reference('repo_id', 'repo').text('oid').text('bytes', '{}').primaryKey('repo_id'),
  )

  await createTable(schema, 'commit_status', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('oid')
      .number('number')
      .text('state')
      .text('context')
      .text('description')
      .text('target_url')
      .number('creator_id')
      .number('created_at'),
  )
  await createIndex(schema, 'commit_status', ['repo_id', 'oid', 'number'], { unique: true })
  await createIndex(schema, 'commit_status', ['repo_id', 'oid', 'context', 'number'])

  await createTable(schema, 'branch_rule', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('name')
      .number('priority')
      .text('settings')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'branch_rule', ['repo_id', 'name'], { unique: true })

  await createTable(schema, 'branch_rule_user', (t) =>
    t
      .reference('rule_id', 'branch_rule')
      .text('list')
      .reference('user_id', 'user')
      .primaryKey('rule_id', 'list', 'user_id'),
  )
  await createIndex(schema, 'branch_rule_user', ['user_id'])

  await createTable(schema, 'branch_rule_team', (t) =>
    t
      .reference('rule_id', 'branch_rule')
      .text('list')
      .reference('team_id', 'team')
      .primaryKey('rule_id', 'list', 'team_id'),
  )
  await createIndex(schema, 'branch_rule_team', ['team_id'])

  await createTable(schema, 'tag_rule', (t) =>
    t.id().reference('repo_id', 'repo').text('pattern').number('created_at').number('updated_at'),
  )
  await createIndex(schema, 'tag_rule', ['repo_id', 'pattern'], { unique: true })

  await createTable(schema, 'tag_rule_user', (t) =>
    t.reference('rule_id', 'tag_rule').reference('user_id', 'user').primaryKey('rule_id', 'user_id'),
  )
  await createIndex(schema, 'tag_rule_user', ['user_id'])

  await createTable(schema, 'tag_rule_team', (t) =>
    t.reference('rule_id', 'tag_rule').reference('team_id', 'team').primaryKey('rule_id', 'team_id'),
  )
  await createIndex(schema, 'tag_rule_team', ['team_id'])

  await createTable(schema, 'release', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .number('publisher_id')
      .text('tag_name')
      .text('lower_tag_name')
      .text('target', '')
      .text('title', '')
      .text('body', '')
      .flag('is_draft')
      .flag('is_prerelease')
      .flag('hide_archive_links')
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'release', ['repo_id', 'lower_tag_name'], { unique: true })
  await createIndex(schema, 'release', ['repo_id', 'created_at', 'id'])

  await createTable(schema, 'archive_download', (t) =>
    t.reference('repo_id', 'repo').text('tag').number('zip', 0).number('tar_gz', 0).primaryKey('repo_id', 'tag'),
  )

  // Which repository has which large file, and which user has locked which path.
  await createTable(schema, 'lfs_link', (t) =>
    t.id().reference('repo_id', 'repo').text('oid').number('size').number('created_at'),
  )
  await createIndex(schema, 'lfs_link', ['repo_id', 'oid'], { unique: true })
  await createIndex(schema, 'lfs_link', ['oid', 'repo_id'])

  await createTable(schema, 'lfs_lock', (t) =>
    t.id().reference('repo_id', 'repo').reference('owner_id', 'user').text('path').number('created_at'),
  )
  await createIndex(schema, 'lfs_lock', ['repo_id', 'path'], { unique: true })
  await createIndex(schema, 'lfs_lock', ['repo_id', 'id'])

  // Former names of branches, so that old addresses of their files still work.
  await createTable(schema, 'renamed_branch', (t) =>
    t.id().reference('repo_id', 'repo').text('from_name').text('to_name').number('created_at'),
  )
  await createIndex(schema, 'renamed_branch', ['repo_id', 'from_name'], { unique: true })
  await createIndex(schema, 'renamed_branch', ['repo_id', 'to_name'])
}
