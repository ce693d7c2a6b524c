import type { Tx } from '../../../../core/db/database.ts'
import { type ClaimedAuthor, claimRows } from '../../../../core/db/original-author.ts'

/** Assigns some issues and pull requests of an author at the source to an account; returns their number. */
export const claimIssues = (tx: Tx, author: ClaimedAuthor): Promise<bigint> =>
  claimRows(tx, { table: 'issue', column: 'poster_id' }, author)

/** Assigns some comments and events of an author at the source to an account; returns their number. */
export const claimEntries = (tx: Tx, author: ClaimedAuthor): Promise<bigint> =>
  claimRows(tx, { table: 'timeline_entry', column: 'actor_id' }, author)
