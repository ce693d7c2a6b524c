import type { Tx } from '../../../core/db/database.ts'
import { type ClaimedAuthor, claimRows } from '../../../core/db/original-author.ts'

/** Assigns some tracked times of a user at the source to an account; returns their number. */
export const claimTimes = (tx: Tx, author: ClaimedAuthor): Promise<bigint> =>
  claimRows(tx, { table: 'tracked_time', column: 'user_id' }, author)
