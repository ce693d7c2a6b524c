import { sql } from 'kysely'
import type { Schema } from './_helpers.ts'

/**
 * SQLite: deleted texts no longer make a part of the index be written anew, which took seconds of one statement once a
 * tenth of the part was deleted. They are dropped when parts are merged because texts were added.
 */
export async function mergeIndexOnInsertAlone({ db, dialect }: Schema): Promise<void> {
  if (dialect !== 'sqlite') return
  await sql`insert into issue_text_index (issue_text_index, rank) values ('deletemerge', 0)`.execute(db)
}
