import type { Tx } from '../../../core/db/database.ts'
import { type ClaimedAuthor, claimRows } from '../../../core/db/original-author.ts'

/** Assigns some releases of an author at the source to an account; returns their number. */
export const claimReleases = (tx: Tx, author: ClaimedAuthor): Promise<bigint> =>
  claimRows(tx, { table: 'release', column: 'publisher_id' }, author)
