import { sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { asId, type IssueId, type RepoId } from '../../../../core/platform/crypto/ids.ts'

/** The pinned issues, or the pinned pull requests, of a repository. */
export interface PinList {
  readonly repoId: RepoId
  readonly isPull: boolean
}

/**
 * Serializes changes of pins until the transaction ends. NOTE: does not lock the row of the repository, which
 * transactions that close issues lock after the issue.
 */
export async function lockPins(tx: Tx, { repoId }: PinList): Promise<void> {
  await tx
    .updateTable('issue_sequence')
    .set((eb) => ({ last: eb.ref('last') }))
    .where('repo_id', '=', repoId)
    .execute()
}

/** Ordered by position. */
export async function listPinnedIds(db: Db, { repoId, isPull }: PinList): Promise<IssueId[]> {
  const rows = await db
    .selectFrom('issue')
    .select('id')
    .where('repo_id', '=', repoId)
    .where('is_pull', '=', flag(isPull))
    .where('pin_order', '>', 0)
    .orderBy('pin_order')
    .execute()
  return rows.map((row) => asId(row.id))
}

/** Adds `change` to the positions from `first` to `last`. */
export async function shiftPins(
  tx: Tx,
  { repoId, isPull }: PinList,
  { first, last, change }: { readonly first: number; readonly last: number; readonly change: 1 | -1 },
): Promise<void> {
  await tx
    .updateTable('issue')
    .set({ pin_order: sql<number>`pin_order + ${change}` })
    .where('repo_id', '=', repoId)
    .where('is_pull', '=', flag(isPull))
    .where('pin_order', '>=', first)
    .where('pin_order', '<=', last)
    .execute()
}
