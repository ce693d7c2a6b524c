import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createRepositoriesTables(schema: Schema): Promise<void> {
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
      .number('archived_at', 0)
      .number('suspended_units', 0)
      .text('wiki_oid', ''),
  )
  await createIndex(schema, 'repo', ['owner_id', 'lower_name'], { unique: true })
  await createIndex(schema, 'repo', ['storage'], { unique: true })
  await createIndex(schema, 'repo', ['fork_id', 'owner_id'])
  await createIndex(schema, 'repo', ['avatar'])
  // What lists of repositories look through, in their order: a page is found and a search counted without reading
  // the wide rows.
  await createIndex(schema, 'repo', ['id', 'is_private', 'owner_id', 'lower_name', 'topics'])
  await createIndex(schema, 'repo', ['is_private', 'owner_id'])
  // The most frequent order: last updated first.
  await createIndex(schema, 'repo', ['updated_at', 'id'])

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
    t
      .id()
      .reference('repo_id', 'repo')
      .text('name')
      .text('oid')
      .number('pusher_id')
      .number('updated_at')
      .text('pusher_restriction', ''),
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

  await createTable(schema, 'deploy_key', (t) =>
    t
      .id()
      .reference('key_id', 'public_key')
      .reference('repo_id', 'repo')
      .text('title')
      .text('comment', '')
      .flag('is_read_only')
      .number('created_at')
      .number('last_used_at', 0),
  )
  await createIndex(schema, 'deploy_key', ['repo_id', 'key_id'], { unique: true })
  await createIndex(schema, 'deploy_key', ['repo_id', 'title'], { unique: true })
  await createIndex(schema, 'deploy_key', ['key_id', 'repo_id'])

  await createTable(schema, 'repo_transfer', (t) =>
    t
      .reference('repo_id', 'repo')
      .reference('doer_id', 'user')
      .reference('recipient_id', 'user')
      .text('team_ids', '[]')
      .number('created_at')
      .primaryKey('repo_id'),
  )
  await createIndex(schema, 'repo_transfer', ['recipient_id', 'repo_id'])

  await createTable(schema, 'mirror', (t) =>
    t
      .reference('repo_id', 'repo')
      .number('interval', 0)
      .flag('is_pruning', 1)
      .number('synced_at', 0)
      .number('next_sync_at', 0)
      .text('remote_url', '')
      .text('credentials', '')
      .text('remote_head', '')
      .text('last_error', '')
      .flag('has_wiki')
      .flag('has_lfs')
      .text('lfs_endpoint', '')
      .flag('lfs_pending')
      .primaryKey('repo_id'),
  )
  await createIndex(schema, 'mirror', ['next_sync_at'])

  await createTable(schema, 'topic', (t) =>
    t.id().text('name').number('repo_count', 0).number('created_at').number('updated_at'),
  )
  await createIndex(schema, 'topic', ['name'], { unique: true })
  await createIndex(schema, 'topic', ['repo_count', 'name'])

  await createTable(schema, 'repo_topic', (t) =>
    t.reference('repo_id', 'repo').reference('topic_id', 'topic').primaryKey('repo_id', 'topic_id'),
  )
  await createIndex(schema, 'repo_topic', ['topic_id', 'repo_id'])

  await createTable(schema, 'activity', (t) =>
    t
      .id()
      .number('event_id')
      .number('position', 0)
      .text('op_type')
      .reference('actor_id', 'user')
      .reference('repo_id', 'repo')
      .text('ref_name', '')
      .text('content', '')
      .number('created_at')
      .number('issue_id', 0)
      .number('comment_id', 0),
  )
  await createIndex(schema, 'activity', ['event_id', 'position'], { unique: true })
  await createIndex(schema, 'activity', ['repo_id', 'id'])
  await createIndex(schema, 'activity', ['actor_id', 'id'])
  await createIndex(schema, 'activity', ['actor_id', 'created_at'])
  await createIndex(schema, 'activity', ['issue_id', 'comment_id'])

  // Uploaded images by the hash in their address; users and repositories name them in their `avatar` column.
  await createTable(schema, 'avatar', (t) =>
    t.text('hash').text('blob').text('media_type').number('created_at').primaryKey('hash'),
  )
  await createIndex(schema, 'avatar', ['blob'])

  // Words that site administrators put on repositories.
  await createTable(schema, 'repo_flag', (t) =>
    t.reference('repo_id', 'repo').text('name').primaryKey('repo_id', 'name'),
  )

  await createTable(schema, 'attachment', (t) =>
    t
      .id()
      .text('uuid')
      .reference('repo_id', 'repo')
      .number('release_id', 0)
      .number('issue_id', 0)
      .number('comment_id', 0)
      .number('uploader_id')
      .text('name')
      .number('size', 0)
      .text('hash', '')
      .text('external_url', '')
      .number('download_count', 0)
      .number('created_at'),
  )
  await createIndex(schema, 'attachment', ['uuid'], { unique: true })
  await createIndex(schema, 'attachment', ['release_id', 'name'])
  await createIndex(schema, 'attachment', ['issue_id', 'comment_id'])
  await createIndex(schema, 'attachment', ['comment_id'])
  await createIndex(schema, 'attachment', ['repo_id'])
  await createIndex(schema, 'attachment', ['hash'])
}
