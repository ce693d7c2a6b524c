import { sql } from 'kysely'
import { createIndex, createTable, type Schema } from './_helpers.ts'

/**
 * The index of code on PostgreSQL; on SQLite it is a file of its own. NOTE: the index of trigrams needs an extension, so
 * the module creates it at a start with code search.
 */
export async function createCodeIndex(schema: Schema): Promise<void> {
  if (schema.dialect !== 'postgres') return
  await createTable(schema, 'code_blob', (t) => t.id().text('oid').number('size').text('text'))
  await createIndex(schema, 'code_blob', ['oid'], { unique: true })
  await createTable(schema, 'code_file', (t) =>
    t.number('repo_id').text('path').text('oid').text('language').primaryKey('repo_id', 'path'),
  )
  await sql`alter table code_file add column blob_id bigint`.execute(schema.db)
  await createIndex(schema, 'code_file', ['blob_id', 'repo_id'])
  await createTable(schema, 'code_repo', (t) =>
    t.number('repo_id').text('oid').text('branch').flag('is_partial').primaryKey('repo_id'),
  )
}
