import type { Generated, Transaction } from 'kysely'
import type { Tx } from './database.ts'
import type { RepoId, UserId } from '../platform/crypto/ids.ts'

/** Columns of tables with imported objects. */
export interface OriginalAuthorColumns {
  /** The login of the author at the source; empty for rows written here, and for authors with an account here. */
  original_author: Generated<string>
  /** The id at the source; 0 for none. */
  original_author_id: Generated<number>
}

/** The author of an imported object at its source, who has no account here. */
export interface OriginalAuthor {
  readonly login: string
  readonly id: number
}

/** The values of the columns. */
export interface AuthorColumns {
  readonly original_author: string
  readonly original_author_id: number
}

export const toOriginalAuthor = (row: AuthorColumns): OriginalAuthor | undefined =>
  row.original_author === '' ? undefined : { login: row.original_author, id: row.original_author_id }

export const presentOriginalAuthor = (author: OriginalAuthor | undefined) => ({
  original_author: author?.login ?? '',
  original_author_id: author?.id ?? 0,
})

/** An account that takes the place of an author at the source in a repository. */
export interface ClaimedAuthor {
  readonly repoId: RepoId
  /** The id at the source. */
  readonly authorId: number
  readonly userId: UserId
}

/** The author of a claimed object is an account here. */
export const CLAIMED: AuthorColumns = { original_author: '', original_author_id: 0 }

/** The maximum number of rows that one statement assigns to an account. */
export const CLAIM_STEP = 500

interface ClaimableTable {
  readonly table: string
  /** The column with the id of the author's account. */
  readonly column: string
}

/** Assigns some rows of an author at the source to an account; returns their number. */
export async function claimRows(
  tx: Tx,
  { table, column }: ClaimableTable,
  { repoId, authorId, userId }: ClaimedAuthor,
): Promise<bigint> {
  const rows = tx as unknown as Transaction<Record<string, Record<string, number | string>>>
  const some = rows
    .selectFrom(table)
    .select('id')
    .where('repo_id', '=', repoId)
    .where('original_author_id', '=', authorId)
    .limit(CLAIM_STEP)
  const { numUpdatedRows } = await rows
    .updateTable(table)
    .set({ [column]: userId, ...CLAIMED })
    .where('id', 'in', some)
    .executeTakeFirstOrThrow()
  return numUpdatedRows
}
