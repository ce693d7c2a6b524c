import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from '../_helpers.ts'

export async function createIssuesTables(schema: Schema): Promise<void> {
  await createTable(schema, 'label', (t) =>
    t
      .id()
      .optionalReference('repo_id', 'repo')
      .optionalReference('org_id', 'user')
      .text('name')
      .text('color')
      .text('description', '')
      .flag('is_exclusive')
      .number('archived_at', 0)
      .number('issues_count', 0)
      .number('created_at')
      .number('updated_at'),
  )
  await createIndex(schema, 'label', ['repo_id', 'name'])
  await createIndex(schema, 'label', ['org_id', 'name'])
  await createIndex(schema, 'label', ['name'])

  await createTable(schema, 'milestone', (t) =>
    t
      .id()
      .reference('repo_id', 'repo')
      .text('title')
      .text('lower_title')
      .text('description', '')
      .flag('is_closed')
      .number('due_at')
      .number('open_issues', 0)
      .number('closed_issues', 0)
      .number('created_at')
      .number('updated_at')
      .number('closed_at', 0),
  )
  await createIndex(schema, 'milestone', ['repo_id', 'due_at', 'title', 'id', 'is_closed'])
  await createIndex(schema, 'milestone', ['lower_title', 'repo_id'])

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
      .text('body', '')
      .number('reviews_counted', 0),
  )
  await createIndex(schema, 'issue', ['repo_id', 'number'], { unique: true })
  // The orders of lists, with the columns of their most frequent filters.
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
  await createIndex(schema, 'issue', ['repo_id', 'is_pull', 'pin_order'])

  // The state, kind and creation time are those of the issue: lists with a filter read one index. So in
  // issue_assignee and issue_mention.
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
  await createIndex(schema, 'timeline_entry', ['actor_id', 'kind', 'id'])
  await createIndex(schema, 'timeline_entry', ['issue_id', 'kind', 'actor_id'])

  await createTable(schema, 'former_text', (t) =>
    t
      .id()
      .reference('issue_id', 'issue')
      .optionalReference('comment_id', 'timeline_entry')
      .number('editor_id')
      .number('replaced_at')
      .text('body'),
  )
  await createIndex(schema, 'former_text', ['issue_id', 'comment_id', 'id'])
  await createIndex(schema, 'former_text', ['comment_id', 'id'])

  await createTable(schema, 'issue_mention', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('user_id', 'user')
      .reference('repo_id', 'repo')
      .flag('is_closed')
      .flag('is_pull')
      .number('created_at')
      .primaryKey('issue_id', 'user_id'),
  )
  await createIndex(schema, 'issue_mention', ['user_id', 'is_closed', 'created_at', 'issue_id', 'repo_id', 'is_pull'])
  await createIndex(schema, 'issue_mention', ['repo_id', 'user_id', 'is_closed', 'created_at', 'issue_id', 'is_pull'])

  await createTable(schema, 'issue_text', (t) =>
    t.id().reference('issue_id', 'issue').number('part').number('repo_id').text('text').flag('is_indexed', 1),
  )
  await createIndex(schema, 'issue_text', ['issue_id', 'part'], { unique: true })
  await createIndex(schema, 'issue_text', ['repo_id'])
  await (schema.dialect === 'sqlite' ? indexTextsOnSqlite(schema) : indexTextsOnPostgres(schema))

  await createTable(schema, 'issue_dependency', (t) =>
    t
      .reference('issue_id', 'issue')
      .reference('depends_on_id', 'issue')
      .number('created_at')
      .primaryKey('issue_id', 'depends_on_id'),
  )
  await createIndex(schema, 'issue_dependency', ['depends_on_id', 'issue_id'])

  await createTable(schema, 'reaction', (t) =>
    t
      .id()
      .reference('issue_id', 'issue')
      .optionalReference('comment_id', 'timeline_entry')
      .reference('user_id', 'user')
      .text('content')
      .number('created_at'),
  )
  await createIndex(schema, 'reaction', ['issue_id', 'comment_id', 'id'])
  await createIndex(schema, 'reaction', ['comment_id', 'id'])
  await createIndex(schema, 'reaction', ['user_id'])

  await createTable(schema, 'stopwatch', (t) =>
    t.reference('user_id', 'user').reference('issue_id', 'issue').number('started_at').primaryKey('user_id'),
  )
  await createIndex(schema, 'stopwatch', ['issue_id'])

  await createTable(schema, 'tracked_time', (t) =>
    t.id().reference('issue_id', 'issue').number('repo_id').number('user_id').number('seconds').number('created_at'),
  )
  await createIndex(schema, 'tracked_time', ['issue_id', 'id'])
  await createIndex(schema, 'tracked_time', ['repo_id', 'id'])
  await createIndex(schema, 'tracked_time', ['user_id', 'id'])

  await createTable(schema, 'issue_redirect', (t) =>
    t.reference('repo_id', 'repo').number('number').reference('issue_id', 'issue').primaryKey('repo_id', 'number'),
  )
  await createIndex(schema, 'issue_redirect', ['issue_id'])

  // `restriction`: the limits of the credential of the author, below those of the account.
  await createTable(schema, 'cross_reference', (t) =>
    t
      .reference('source_issue_id', 'issue')
      .number('source_comment_id', 0)
      .reference('issue_id', 'issue')
      .reference('entry_id', 'timeline_entry')
      .text('action')
      .text('restriction', '')
      .number('author_id', 0)
      .primaryKey('source_issue_id', 'source_comment_id', 'issue_id'),
  )
  await createIndex(schema, 'cross_reference', ['issue_id'])
  await createIndex(schema, 'cross_reference', ['entry_id'])

  await createTable(schema, 'commit_reference', (t) =>
    t
      .reference('issue_id', 'issue')
      .text('oid')
      .reference('entry_id', 'timeline_entry')
      .flag('is_settled')
      .primaryKey('issue_id', 'oid'),
  )
  await createIndex(schema, 'commit_reference', ['entry_id'])
}

/**
 * NOTE: the repository is in the upper half of the row ids of the index, so that the search of one repository reads no
 * entries of others. Triggers also see what foreign keys delete. Texts are added to the index many at a time, by an
 * update of `is_indexed`.
 */
async function indexTextsOnSqlite({ db }: Schema): Promise<void> {
  await sql`create index issue_text_unindexed_idx on issue_text (id) where is_indexed = 0`.execute(db)
  await sql`create virtual table issue_text_index using fts5(
    text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail=none)`.execute(db)
  const rowid = (row: 'new' | 'old') => sql.raw(`(${row}.repo_id << 32) | ${row}.id`)
  await sql`create trigger issue_text_inserted after insert on issue_text when new.is_indexed = 1 begin
    insert into issue_text_index (rowid, text) values (${rowid('new')}, new.text); end`.execute(db)
  await sql`create trigger issue_text_deleted after delete on issue_text when old.is_indexed = 1 begin
    delete from issue_text_index where rowid = ${rowid('old')}; end`.execute(db)
  await sql`create trigger issue_text_updated after update of text, repo_id, is_indexed on issue_text begin
    delete from issue_text_index where old.is_indexed = 1 and rowid = ${rowid('old')};
    insert into issue_text_index (rowid, text) select ${rowid('new')}, new.text where new.is_indexed = 1; end`.execute(
    db,
  )
  // The server merges parts of the index in steps and keeps fewer than 64; more are merged at once. Deleted texts alone
  // do not make a part be written anew, which would be one statement of seconds.
  for (const [option, value] of Object.entries({ automerge: 0, crisismerge: 64, deletemerge: 0 }))
    await sql`insert into issue_text_index (issue_text_index, rank) values (${sql.lit(option)}, ${sql.lit(value)})`.execute(
      db,
    )
}

/** Where the extension is not installed and may not be installed by this account, texts are read one by one. */
async function indexTextsOnPostgres({ db }: Schema): Promise<void> {
  const { rows } = await sql<{ is_installed: boolean; can_install: boolean }>`
    select exists (select 1 from pg_extension where extname = 'pg_trgm') as is_installed,
      has_database_privilege(current_database(), 'create') and exists (
        select 1 from pg_available_extensions as a
        join pg_available_extension_versions as v on v.name = a.name and v.version = a.default_version
        where a.name = 'pg_trgm' and (v.trusted or (select rolsuper from pg_roles where rolname = current_user))
      ) as can_install`.execute(db)
  const { is_installed: isInstalled, can_install: canInstall } = rows[0]!
  if (!isInstalled && canInstall) await sql`create extension pg_trgm`.execute(db)
  if (isInstalled || canInstall)
    await sql`create index issue_text_text_idx on issue_text using gin (text gin_trgm_ops)`.execute(db)
}
