import { type Insertable, type Selectable, sql } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { changeInSteps, deleteInSteps } from '../../../../core/db/delete-in-steps.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { engineErrors } from '../../../../core/platform/errors.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import { asId, type IssueId, type MilestoneId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { IssueTable } from '../issues.table.ts'
import { type OriginalAuthor, toOriginalAuthor } from '../../../../core/db/original-author.ts'

/** An issue or a pull request. Times are epoch milliseconds. */
export interface Issue {
  readonly id: IssueId
  readonly repoId: RepoId
  readonly number: number
  readonly isPull: boolean
  readonly isClosed: boolean
  /** The account may have been deleted. */
  readonly authorId: UserId
  /** Undefined unless imported. */
  readonly originalAuthor?: OriginalAuthor | undefined
  readonly title: string
  readonly body: string
  readonly ref: string
  readonly milestoneId: MilestoneId | undefined
  readonly dueAt: number | undefined
  readonly commentsCount: number
  readonly isLocked: boolean
  /** The position from 1; 0 if not pinned. */
  readonly pinOrder: number
  readonly contentVersion: number
  /** Seconds. */
  readonly timeEstimate: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly closedAt: number | undefined
}

export const toIssue = (row: Selectable<IssueTable>): Issue => ({
  id: asId(row.id),
  repoId: asId(row.repo_id),
  number: row.number,
  isPull: row.is_pull === 1,
  isClosed: row.is_closed === 1,
  authorId: asId(row.poster_id),
  originalAuthor: toOriginalAuthor(row),
  title: row.title,
  body: row.body,
  ref: row.ref,
  milestoneId: row.milestone_id === 0 ? undefined : asId(row.milestone_id),
  dueAt: row.due_at || undefined,
  commentsCount: row.comments_count,
  isLocked: row.is_locked === 1,
  pinOrder: row.pin_order,
  contentVersion: row.content_version,
  timeEstimate: row.time_estimate,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  closedAt: row.closed_at || undefined,
})

export const findIssueByNumber = (db: Db, repoId: RepoId, number: number): Promise<Issue | undefined> =>
  cachedUntilCommit(db, `issue.number ${repoId} ${number}`, async () => {
    const [row] = await byNumber(db, { repoId, number })
    return row && toIssue(row)
  })

const byNumber = defineQuery((db, { repoId, number }: { repoId: RepoId; number: number }) =>
  db.selectFrom('issue').selectAll().where('repo_id', '=', repoId).where('number', '=', number),
)

export const findIssueById = (db: Db, id: IssueId): Promise<Issue | undefined> =>
  cachedUntilCommit(db, `issue.id ${id}`, async () => firstOf(await byId(db, { id })))

const firstOf = ([row]: readonly Selectable<IssueTable>[]): Issue | undefined => row && toIssue(row)

const byId = defineQuery((db, { id }: { id: IssueId }) => db.selectFrom('issue').selectAll().where('id', '=', id))

/** Issues in the order of `ids`; omits unknown ids. */
export async function listIssuesByIds(db: Db, ids: readonly IssueId[]): Promise<Issue[]> {
  if (ids.length === 0) return []
  const rows = await byIds(db, { ids: [...new Set(ids)] })
  const found = new Map(rows.map((row) => [row.id, toIssue(row)]))
  return ids.flatMap((id) => found.get(id) ?? [])
}

const byIds = defineQuery((db, { ids }: { ids: readonly IssueId[] }) =>
  db.selectFrom('issue').selectAll().where('id', 'in', ids),
)

/** Issues by their repositories and numbers, in no particular order; omits unknown ones. */
export async function listIssuesByNumbers(db: Db, numbers: ReadonlyMap<RepoId, readonly number[]>): Promise<Issue[]> {
  const wanted = [...numbers].flatMap(([repoId, own]) => own.map((number) => ({ repoId, number })))
  return wanted.length === 0 ? [] : (await byNumbers(db, { wanted })).map(toIssue)
}

interface Wanted {
  readonly wanted: readonly { readonly repoId: RepoId; readonly number: number }[]
}

const byNumbers = defineQuery((db, { wanted }: Wanted) =>
  db
    .selectFrom('issue')
    .selectAll()
    .where((eb) =>
      eb.or(wanted.map(({ repoId, number }) => eb.and([eb('repo_id', '=', repoId), eb('number', '=', number)]))),
    ),
)

/**
 * Allocates the next number of the repository's issues and pull requests. Locks the row until the transaction ends, so
 * a rollback leaves no gap.
 */
export async function allocateIssueNumber(tx: Tx, repoId: RepoId): Promise<number> {
  const [next] = await nextNumber(tx, { repoId })
  return next!.last
}

/**
 * Prevents other transactions from allocating a number in the repository, and so from creating issues, until this one
 * ends.
 */
export async function lockIssueNumbers(tx: Tx, repoId: RepoId): Promise<void> {
  await tx
    .updateTable('issue_sequence')
    .set({ last: sql<number>`last` })
    .where('repo_id', '=', repoId)
    .execute()
}

const nextNumber = defineQuery((db, { repoId }: { repoId: RepoId }) =>
  db
    .insertInto('issue_sequence')
    .values({ repo_id: repoId, last: 1 })
    .onConflict((conflict) => conflict.column('repo_id').doUpdateSet({ last: sql<number>`issue_sequence.last + 1` }))
    .returning('last'),
)

export const insertIssue = async (tx: Tx, values: Insertable<IssueTable>): Promise<Issue> =>
  firstOf(await insertion(tx, values))!

const insertion = defineQuery((db, row: Insertable<IssueTable>) => db.insertInto('issue').values(row).returningAll())

/** Values only: a prepared statement cannot bind expressions. */
type IssueChanges = Partial<Omit<Selectable<IssueTable>, 'id'>>

/** Throws conflict if the issue was deleted. */
export async function updateIssue(tx: Tx, id: IssueId, values: IssueChanges): Promise<Issue> {
  const issue = firstOf(await update(tx, { ...values, id }))
  if (issue === undefined) throw engineErrors.deletedConcurrently()
  return issue
}

const update = defineQuery((db, { id, ...values }: IssueChanges & { id: IssueId }) =>
  db.updateTable('issue').set(values).where('id', '=', id).returningAll(),
)

/** Sets `updated_at` of the issues that exist and returns them; locks them until the transaction ends. */
export async function touchIssues(tx: Tx, ids: readonly IssueId[], at: number): Promise<IssueId[]> {
  if (ids.length === 0) return []
  return (await touch(tx, { ids, at })).map((row) => asId<IssueId>(row.id))
}

const touch = defineQuery((db, { ids, at }: { ids: readonly IssueId[]; at: number }) =>
  db.updateTable('issue').set({ updated_at: at }).where('id', 'in', ids).returning('id'),
)

/** Locks the row until the transaction ends. Returns undefined if the issue was deleted. */
export const lockIssue = async (tx: Tx, id: IssueId): Promise<Issue | undefined> => firstOf(await lock(tx, { id }))

const lock = defineQuery((db, { id }: { id: IssueId }) =>
  dialectOf(db as Tx).lockRows(db.selectFrom('issue').selectAll().where('id', '=', id)),
)

/** Also deletes rows that refer to it by foreign keys: labels, assignees, timeline. */
export async function deleteIssue(tx: Tx, id: IssueId): Promise<void> {
  await deleteInSteps(tx, 'issue', [id])
}

/**
 * Adds new comments to `comments_count` in SQL, so that concurrent changes add up, and sets `updated_at`. Returns the
 * changed issue, whose row is locked until the transaction ends; undefined if it was deleted.
 *
 * COMPAT: this also counts the published reviews of a pull request, which nothing else does
 * (test/pulls/reviews/counts.test.ts).
 */
export const countNewComments = async (tx: Tx, id: IssueId, added: 0 | 1, at: number): Promise<Issue | undefined> =>
  firstOf(await addition(tx, { id, added, at }))

interface Addition {
  readonly id: IssueId
  readonly added: number
  readonly at: number
}

const addition = defineQuery((db, { id, added, at }: Addition) => {
  const reviews = sql<number>`(select count(*) from timeline_entry where issue_id = issue.id and kind = 'review')`
  return db
    .updateTable('issue')
    .set({
      comments_count: sql<number>`comments_count + ${added} + ${reviews} - reviews_counted`,
      reviews_counted: reviews,
      updated_at: at,
    })
    .where('id', '=', id)
    .returningAll()
})

/** Subtracts a deleted comment. Locks the row until the transaction ends. */
export const subtractComment = async (tx: Tx, id: IssueId): Promise<Issue | undefined> =>
  firstOf(await subtraction(tx, { id }))

const subtraction = defineQuery((db, { id }: { id: IssueId }) =>
  db
    .updateTable('issue')
    .set({ comments_count: sql<number>`comments_count - 1` })
    .where('id', '=', id)
    .returningAll(),
)

/** Detaches the issues of a deleted milestone. */
export const clearMilestone = (tx: Tx, id: MilestoneId): Promise<void> =>
  changeInSteps(tx, async (limit) => {
    const some = tx.selectFrom('issue').select('id').where('milestone_id', '=', id).limit(limit)
    const { numUpdatedRows } = await tx
      .updateTable('issue')
      .set({ milestone_id: 0 })
      .where('id', 'in', some)
      .executeTakeFirst()
    return numUpdatedRows
  })
