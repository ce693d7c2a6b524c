import { type Insertable, type RawBuilder, type Selectable, sql, type SqlBool, type Updateable } from 'kysely'
import { readersOf } from '../../../../core/access/repo-readers.store.ts'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { selectPage } from '../../../../core/db/page.ts'
import {
  asId,
  type IssueId,
  type PullId,
  type ReviewId,
  type TeamId,
  type UserId,
} from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'
import { type OriginalAuthor, toOriginalAuthor } from '../../../../core/db/original-author.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { ReviewTable } from '../reviews.table.ts'

/** `request`: a request without a review. `pending`: visible to its reviewer only. */
export type ReviewKind = 'approved' | 'comment' | 'pending' | 'rejected' | 'request'

/** Times are epoch milliseconds. */
export interface Review {
  readonly id: ReviewId
  readonly pullId: PullId
  readonly issueId: IssueId
  readonly kind: ReviewKind
  /** Undefined for a team's request. */
  readonly reviewerId: UserId | undefined
  /** Undefined unless imported: the reviewer is the account that imported it, and has decided nothing. */
  readonly originalAuthor?: OriginalAuthor | undefined
  readonly teamId: TeamId | undefined
  readonly body: string
  /** Empty for a request. */
  readonly commitOid: string
  readonly isOfficial: boolean
  readonly isStale: boolean
  readonly isDismissed: boolean
  /** The base that was approved, if the pull request has another one now; otherwise empty. */
  readonly formerBase: string
  /** Undefined for none. The entry may have been deleted. */
  readonly entryId: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly submittedAt: number
}

export const toReview = (row: Selectable<ReviewTable>): Review => ({
  id: asId(row.id),
  pullId: asId(row.pull_id),
  issueId: asId(row.issue_id),
  kind: row.kind as ReviewKind,
  reviewerId: row.reviewer_id === 0 ? undefined : asId(row.reviewer_id),
  originalAuthor: toOriginalAuthor(row),
  teamId: row.team_id === 0 ? undefined : asId(row.team_id),
  body: row.body,
  commitOid: row.commit_oid,
  isOfficial: row.is_official === 1,
  isStale: row.is_stale === 1,
  isDismissed: row.is_dismissed === 1,
  formerBase: row.former_base,
  entryId: row.entry_id === 0 ? undefined : row.entry_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  submittedAt: row.submitted_at,
})

export async function findReview(db: Db, id: ReviewId): Promise<Review | undefined> {
  const row = await db.selectFrom('review').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toReview(row)
}

/** Reviews with these ids, in no particular order; omits unknown ids. */
export async function listReviewsByIds(db: Db, ids: readonly ReviewId[]): Promise<Review[]> {
  if (ids.length === 0) return []
  return (await db.selectFrom('review').selectAll().where('id', 'in', ids).execute()).map(toReview)
}

/** A review of a pull request of the repository. See `isShown`. */
export async function findShownReview(db: Db, repo: Repo, id: ReviewId): Promise<Review | undefined> {
  const row = await db.selectFrom('review').selectAll().where('id', '=', id).where(isShown(repo)).executeTakeFirst()
  return row && toReview(row)
}

/** Locks the row until the transaction ends. Returns undefined if the review was deleted. */
export async function lockReview(tx: Tx, id: ReviewId): Promise<Review | undefined> {
  const query = tx.selectFrom('review').selectAll().where('id', '=', id)
  const row = await dialectOf(tx).lockRows(query).executeTakeFirst()
  return row && toReview(row)
}

export async function findPendingReview(db: Db, pullId: PullId, reviewerId: UserId): Promise<Review | undefined> {
  const [row] = await pendingOf(db, { pullId, reviewerId })
  return row && toReview(row)
}

const pendingOf = defineQuery((db, { pullId, reviewerId }: { pullId: PullId; reviewerId: UserId }) =>
  db
    .selectFrom('review')
    .selectAll()
    .where('pull_id', '=', pullId)
    .where('reviewer_id', '=', reviewerId)
    .where('kind', '=', 'pending'),
)

/** Reviews and requests of these pull requests, oldest first. */
export async function listReviewsOf(db: Db, pullIds: readonly PullId[]): Promise<Review[]> {
  if (pullIds.length === 0) return []
  const rows = await db.selectFrom('review').selectAll().where('pull_id', 'in', pullIds).orderBy('id').execute()
  return rows.map(toReview)
}

/** Reviews and requests of a pull request, oldest first, including pending ones. See `isShown`. */
export const listReviewPage = (
  db: Db,
  { pull, repo }: { readonly pull: { readonly id: PullId }; readonly repo: Repo },
  paging: Paging,
): Promise<Page<Review>> =>
  selectPage(
    db.selectFrom('review').selectAll().where('pull_id', '=', pull.id).where(isShown(repo)).orderBy('id'),
    paging,
    toReview,
  )

export async function insertReview(tx: Tx, values: Insertable<ReviewTable>): Promise<Review> {
  return toReview((await insertion(tx, values))[0]!)
}

const insertion = defineQuery((db, values: Insertable<ReviewTable>) =>
  db.insertInto('review').values(values).returningAll(),
)

/** Throws NoResultError, which is a conflict, if the review was deleted. */
export async function updateReview(tx: Tx, id: ReviewId, values: Updateable<ReviewTable>): Promise<Review> {
  const update = tx.updateTable('review').set(values).where('id', '=', id)
  return toReview(await update.returningAll().executeTakeFirstOrThrow())
}

/** Does nothing when the entry is not the newest one of a review. */
export async function setTextOfReview(
  tx: Tx,
  { reviewerId, entryId }: { readonly reviewerId: UserId; readonly entryId: number },
  body: string,
): Promise<void> {
  const update = tx.updateTable('review').set({ body }).where('reviewer_id', '=', reviewerId)
  await update.where('entry_id', '=', entryId).execute()
}

/** Also deletes the positions of its comments. */
export async function deleteReview(tx: Tx, id: ReviewId): Promise<void> {
  await tx.deleteFrom('review').where('id', '=', id).execute()
}

/**
 * A condition on `review` in one repository that excludes requests of users and teams that cannot review now, because
 * they lost access or their account is suspended (behaviour/pull-requests#requested-reviewers).
 */
export const isShown = (repo: Repo): RawBuilder<SqlBool> =>
  sql<SqlBool>`(review.kind <> 'request' or ${ofActiveReader(repo)}${repo.isPrivate ? sql` or ${ofReadingTeam(repo)}` : sql` or review.team_id > 0`})`

const ofActiveReader = (repo: Repo): RawBuilder<SqlBool> =>
  sql<SqlBool>`(review.team_id = 0 and exists (select 1 from "user" where "user".id = review.reviewer_id
    and "user".is_active = 1 and "user".is_login_prohibited = 0 and ${readersOf(repo, 'repo.pulls')}))`

/** The SQL equivalent of `teamProblem`. */
const ofReadingTeam = ({ id, ownerId }: Repo): RawBuilder<SqlBool> =>
  sql<SqlBool>`exists (select 1 from team where team.id = review.team_id and team.org_id = ${ownerId}
    and (team.includes_all_repositories = 1
      or exists (select 1 from team_repo where team_repo.team_id = team.id and team_repo.repo_id = ${id}))
    and (team.mode >= 3 or exists (select 1 from team_unit
      where team_unit.team_id = team.id and team_unit.unit = 'repo.pulls' and team_unit.mode > 0)))`
