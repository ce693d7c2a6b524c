import { type SideDatabase, openSideDatabase } from '../../../../core/db/side-database.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { Logger } from '../../../../core/platform/logger.ts'

const SCHEMA = {
  name: 'search.db',
  version: 1,
  statements: [
    `create table code_blob (id integer primary key, oid text not null unique, size integer not null, text blob not null)`,
    `create table code_file (repo_id integer not null, path text not null, oid text not null, blob_id integer,
      language text not null, primary key (repo_id, path)) without rowid`,
    `create index code_file_blob_id_repo_id_idx on code_file (blob_id, repo_id)`,
    `create table code_repo (repo_id integer primary key, oid text not null, branch text not null,
      is_partial integer not null)`,
    // NOTE: without positions the index takes a sixth of the text; matches are verified on the texts.
    `create virtual table code_text using fts5(text, content='', contentless_delete=1, detail=none, tokenize='trigram')`,
  ],
  postgres: [
    'create extension if not exists pg_trgm',
    'create index if not exists code_blob_text_idx on code_blob using gin (text collate "default" gin_trgm_ops)',
  ],
}

/** Opens the index; undefined, and logged, if the PostgreSQL server has no pg_trgm or the user must not create it. */
export async function openCodeIndex(database: Database, log: Logger): Promise<SideDatabase | undefined> {
  try {
    return await openSideDatabase(database, SCHEMA)
  } catch (error) {
    if (database.dialect.name === 'sqlite') throw error
    log.error(
      { err: error },
      'code search is off: it needs the extension pg_trgm of PostgreSQL (create extension pg_trgm)',
    )
    return undefined
  }
}
