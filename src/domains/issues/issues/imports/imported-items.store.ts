import { sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { deleteInSteps } from '../../../../core/db/delete-in-steps.ts'
import { flag } from '../../../../core/db/flag.ts'
import { asId, type IssueId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import { recountLabelsOf } from '../../labels/label-counters.store.ts'
import { recountMilestonesOf } from '../../milestones/milestone-counters.store.ts'
import { listPinnedIds } from '../pins/pin.store.ts'

/** The ids of the issues and pull requests with these numbers. */
export async function listImportedIds(
  db: Db,
  repoId: RepoId,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, IssueId>> {
  if (numbers.length === 0) return new Map()
  const rows = await db
    .selectFrom('issue')
    .select(['id', 'number'])
    .where('repo_id', '=', repoId)
    .where('number', 'in', [...new Set(numbers)])
    .execute()
  return new Map(rows.map(({ id, number }) => [number, asId<IssueId>(id)]))
}

/** An imported issue or pull request. */
export interface ImportedItem {
  readonly id: IssueId
  readonly number: number
  readonly isPull: boolean
}

interface ItemsAfter {
  /** Undefined for both kinds. */
  readonly isPull?: boolean
  readonly after: number
  readonly limit: number
}

/** The next issues or pull requests of a repository by number. */
export async function listImportedItems(
  db: Db,
  repoId: RepoId,
  { isPull, after, limit }: ItemsAfter,
): Promise<ImportedItem[]> {
  const rows = await db
    .selectFrom('issue')
    .select(['id', 'number', 'is_pull'])
    .where('repo_id', '=', repoId)
    .where('number', '>', after)
    .$if(isPull !== undefined, (query) => query.where('is_pull', '=', flag(isPull === true)))
    .orderBy('number')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ id: asId(row.id), number: row.number, isPull: row.is_pull === 1 }))
}

/** Deletes issues and pull requests that are imported again, without events and counters. */
export const deleteImportedIssues = (tx: Tx, ids: readonly IssueId[]): Promise<void> => deleteInSteps(tx, 'issue', ids)

const MAX_DELETED = 50

/** Deletes some of the issues and pull requests of a hidden repository. Returns false if there are no more. */
export async function deleteSomeImported(tx: Tx, repoId: RepoId): Promise<boolean> {
  const items = await listImportedItems(tx, repoId, { after: 0, limit: MAX_DELETED })
  await deleteInSteps(
    tx,
    'issue',
    items.map(({ id }) => id),
  )
  return items.length === MAX_DELETED
}

/** Counts the comments and the published reviews of these issues, of a repository that nobody else changes. */
export async function recountImportedComments(tx: Tx, ids: readonly IssueId[]): Promise<void> {
  if (ids.length === 0) return
  const count = (...kinds: string[]) =>
    sql<number>`(select count(*) from timeline_entry where issue_id = issue.id and kind in (${sql.join(kinds)}))`
  await tx
    .updateTable('issue')
    .set({ comments_count: count('comment', 'review'), reviews_counted: count('review') })
    .where('id', 'in', ids)
    .execute()
}

/**
 * The end of an import: counts the issues of labels and milestones, numbers the pins without gaps, of which it keeps
 * the first `maxPins` of issues and as many of pull requests, and lets new issues follow the highest number.
 */
export async function completeImport(tx: Tx, repoId: RepoId, maxPins: number): Promise<void> {
  await recountLabelsOf(tx, repoId)
  await recountMilestonesOf(tx, repoId)
  for (const isPull of [false, true]) await renumberPins(tx, { repoId, isPull }, maxPins)
  const { highest } = await tx
    .selectFrom('issue')
    .select((eb) => eb.fn.coalesce(eb.fn.max('number'), eb.lit(0)).as('highest'))
    .where('repo_id', '=', repoId)
    .executeTakeFirstOrThrow()
  if (highest > 0)
    await tx
      .insertInto('issue_sequence')
      .values({ repo_id: repoId, last: highest })
      .onConflict((conflict) => conflict.column('repo_id').doUpdateSet({ last: highest }))
      .execute()
}

async function renumberPins(tx: Tx, board: Parameters<typeof listPinnedIds>[1], maxPins: number): Promise<void> {
  const kept = (await listPinnedIds(tx, board)).slice(0, maxPins)
  await tx
    .updateTable('issue')
    .set({ pin_order: 0 })
    .where('repo_id', '=', board.repoId)
    .where('is_pull', '=', flag(board.isPull))
    .where('pin_order', '>', 0)
    .execute()
  for (const [index, id] of kept.entries())
    await tx
      .updateTable('issue')
      .set({ pin_order: index + 1 })
      .where('id', '=', id)
      .execute()
}
