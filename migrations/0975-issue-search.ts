import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from './_helpers.ts'

export async function createIssueSearch(schema: Schema): Promise<void> {
  // As issue_assignee: the state, kind and creation time are those of the issue.
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
    t.id().reference('issue_id', 'issue').number('part').number('repo_id').text('text'),
  )
  await createIndex(schema, 'issue_text', ['issue_id', 'part'], { unique: true })
  await createIndex(schema, 'issue_text', ['repo_id'])
  await (schema.dialect === 'sqlite' ? indexForSqlite(schema) : indexForPostgres(schema))
}

/**
 * NOTE: the repository is in the upper half of the row ids of the index, so that the search of one repository reads no
 * entries of others. Triggers also see what foreign keys delete.
 */
async function indexForSqlite({ db }: Schema): Promise<void> {
  const rowid = (row: 'new' | 'old') => sql.raw(`(${row}.repo_id << 32) | ${row}.id`)
  await sql`create virtual table issue_text_index using fts5(
    text, content='', contentless_delete=1, tokenize='trigram case_sensitive 1', detail=none)`.execute(db)
  await sql`create trigger issue_text_inserted after insert on issue_text begin
    insert into issue_text_index (rowid, text) values (${rowid('new')}, new.text); end`.execute(db)
  await sql`create trigger issue_text_deleted after delete on issue_text begin
    delete from issue_text_index where rowid = ${rowid('old')}; end`.execute(db)
  await sql`create trigger issue_text_updated after update of text, repo_id on issue_text begin
    delete from issue_text_index where rowid = ${rowid('old')};
    insert into issue_text_index (rowid, text) values (${rowid('new')}, new.text); end`.execute(db)
}

/** Where the extension is not installed and may not be installed by this account, texts are read one by one. */
async function indexForPostgres({ db }: Schema): Promise<void> {
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
