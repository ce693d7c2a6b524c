import { sql } from 'kysely'
import { addColumn, type Schema } from './_helpers.ts'

/**
 * SQLite: texts may wait to be added to the full-text index many at a time, by an update of `is_indexed`. An insert of
 * a release before adds its text at once. Parts of the index are merged in steps by the server instead of by the insert
 * that happens to be due.
 */
export async function indexTextsInBatches(schema: Schema): Promise<void> {
  await addColumn(schema, 'issue_text', { name: 'is_indexed', type: 'flag', initial: 1 })
  const { db, dialect } = schema
  if (dialect !== 'sqlite') return
  await sql`create index issue_text_unindexed_idx on issue_text (id) where is_indexed = 0`.execute(db)
  const rowid = (row: 'new' | 'old') => sql.raw(`(${row}.repo_id << 32) | ${row}.id`)
  for (const change of ['inserted', 'deleted', 'updated'])
    await sql`drop trigger ${sql.id(`issue_text_${change}`)}`.execute(db)
  await sql`create trigger issue_text_inserted after insert on issue_text when new.is_indexed = 1 begin
    insert into issue_text_index (rowid, text) values (${rowid('new')}, new.text); end`.execute(db)
  await sql`create trigger issue_text_deleted after delete on issue_text when old.is_indexed = 1 begin
    delete from issue_text_index where rowid = ${rowid('old')}; end`.execute(db)
  await sql`create trigger issue_text_updated after update of text, repo_id, is_indexed on issue_text begin
    delete from issue_text_index where old.is_indexed = 1 and rowid = ${rowid('old')};
    insert into issue_text_index (rowid, text) select ${rowid('new')}, new.text where new.is_indexed = 1; end`.execute(
    db,
  )
  await sql`insert into issue_text_index (issue_text_index, rank) values ('automerge', 0)`.execute(db)
  // Merging in steps keeps fewer parts than this; more are merged at once.
  await sql`insert into issue_text_index (issue_text_index, rank) values ('crisismerge', 64)`.execute(db)
}
