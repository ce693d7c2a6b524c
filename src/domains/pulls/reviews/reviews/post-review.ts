import type { SignedIn } from '../../../../core/access/viewer.ts'
import { flag } from '../../../../core/db/flag.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import {
  insertEntries,
  listEntriesByIds,
  listEntriesOfKind,
  publishEntries,
  requireOpenToComments,
  touchIssues,
} from '../../../issues/index.ts'
import { isOfficialReviewer } from '../../../code/index.ts'
import { type PullChange, changePull } from '../../pulls/lifecycle/pull-change.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { insertComments } from '../comments/insert-comments.ts'
import { type LocatedComment, locateComments, type NewComment } from '../comments/locate-comments.ts'
import { deleteRequests, listAskedTeams, replaceDecisions } from '../records/decision.store.ts'
import { listCommentPlaces } from '../records/review-comment.store.ts'
import { findPendingReview, insertReview, type Review, updateReview } from '../records/review.store.ts'
import type { ReviewDeps } from '../review-deps.ts'
import { appendReviewEvent } from '../reviews.events.ts'
import { currentSpan, isStale, requireSpan } from './diff-spans.ts'
import { isDecision, requireReview, type Verdict } from '../reviews.policy.ts'
import { publishTexts } from './review-texts.ts'

export interface NewReview {
  readonly verdict: Verdict
  readonly body: string
  /** The head unless given. */
  readonly commitOid: string | undefined
  readonly comments: readonly NewComment[]
}

/** What git says of a review before its transaction. */
export interface Prepared extends Pick<NewReview, 'body' | 'verdict'> {
  readonly commitOid: string
  readonly comments: readonly LocatedComment[]
  readonly isOfficial: boolean
  readonly isStale: boolean
  /** The base of the pull request that was reviewed. */
  readonly baseBranch: string
}

/**
 * Creates a review, or continues the pending one of the actor (behaviour/pull-requests#reviews). Throws Invalid with
 * the contract's texts, and Forbidden for a blocked account.
 */
export async function postReview(
  deps: ReviewDeps,
  actor: SignedIn,
  target: PullInView,
  { verdict, body, commitOid = target.pull.headOid, comments }: NewReview,
): Promise<Review> {
  const { repo, pull, issue } = target
  const pending = await findPendingReview(deps.database.read, pull.id, actor.account.id)
  const kept = pending === undefined ? [] : await listCommentPlaces(deps.database.read, pending.id)
  const facts = { verdict, body: body.trim(), reviewerId: actor.account.id, posterId: issue.posterId }
  requireReview({ ...facts, hasComments: comments.length + kept.length > 0, isClosed: issue.isClosed })
  const git = deps.git.open(repo)
  const reviewed = await requireSpan(git, pull, commitOid)
  const prepared = {
    verdict,
    body: facts.body,
    commitOid,
    comments: await locateComments(git, { reviewed, current: currentSpan(pull) }, comments),
    ...(await judge(deps, actor, target, { verdict, commitOid })),
  }
  const review = await changePull(deps, actor, { repo, pull }, async (change) => {
    await requireOpenTo(change, actor, target, verdict)
    const found = await findPendingReview(change.tx, pull.id, actor.account.id)
    return recordReview(deps, change, { pending: found ?? (await insertPending(change, prepared)), prepared })
  })
  if (review === undefined) throw notFound('the pull request was deleted meanwhile')
  return review
}

/** Whether a review of a commit is official and stale, and for which base. NOTE: reads and compares, so not within a transaction. */
export async function judge(
  { database: { read }, git }: ReviewDeps,
  { account }: SignedIn,
  { repo, pull }: PullInView,
  { verdict, commitOid }: Pick<Prepared, 'verdict' | 'commitOid'>,
): Promise<Pick<Prepared, 'baseBranch' | 'isOfficial' | 'isStale'>> {
  return {
    baseBranch: pull.baseBranch,
    isOfficial: isDecision(verdict) && (await isOfficialReviewer(read, repo, pull.baseBranch, account)),
    isStale: await isStale(git.open(repo), pull, commitOid),
  }
}

/** Throws Forbidden for a blocked account and a locked pull request, and Invalid when the pull request was closed meanwhile. */
export async function requireOpenTo(
  { tx, issue }: PullChange,
  actor: SignedIn,
  target: PullInView,
  verdict: Verdict,
): Promise<void> {
  await requireOpenToComments(tx, actor, target, issue)
  const { isClosed, posterId } = issue
  requireReview({ verdict, body: 'checked', hasComments: true, reviewerId: actor.account.id, posterId, isClosed })
}

const insertPending = ({ tx, actor, pull, at }: PullChange, { commitOid }: Prepared): Promise<Review> =>
  insertReview(tx, {
    pull_id: pull.id,
    issue_id: pull.issueId,
    kind: 'pending',
    reviewer_id: actor.account.id,
    commit_oid: commitOid,
    created_at: at,
    updated_at: at,
  })

/** Writes what was posted into a pending review of the actor, and submits it unless it stays pending. */
export async function recordReview(
  deps: Pick<ReviewDeps, 'texts'>,
  change: PullChange,
  { pending, prepared }: { readonly pending: Review; readonly prepared: Prepared },
): Promise<Review> {
  const { tx, issue, pull, actor, at } = change
  const { verdict, body, commitOid, baseBranch } = prepared
  const [entry] = await insertEntries(tx, { issue, actorId: actor.account.id, at }, [
    { kind: 'pending_review', body, payload: { reviewId: pending.id } },
  ])
  await insertComments(change, pending, prepared.comments)
  const review = await updateReview(tx, pending.id, {
    kind: verdict,
    body,
    commit_oid: commitOid,
    is_official: flag(prepared.isOfficial),
    is_stale: flag(prepared.isStale),
    ...(verdict === 'approved' && baseBranch !== pull.baseBranch && { former_base: baseBranch }),
    entry_id: entry!.id,
    updated_at: at,
    ...(verdict !== 'pending' && { submitted_at: at }),
  })
  if (verdict !== 'pending') await submit(deps, change, review)
  return review
}

async function submit(deps: Pick<ReviewDeps, 'texts'>, change: PullChange, review: Review): Promise<void> {
  const { tx, issue, pull, at } = change
  const userId = review.reviewerId!
  const entries = await listEntriesOfKind(tx, issue.id, 'pending_review')
  const comments = await listCommentPlaces(tx, review.id)
  const own = entries.filter(({ payload }) => 'reviewId' in payload && payload.reviewId === review.id)
  const entryIds = [...own.map(({ id }) => id), ...comments.map(({ entryId }) => entryId)]
  await publishEntries(tx, entryIds, at)
  const texts = await listEntriesByIds(tx, entryIds)
  await publishTexts(
    deps,
    change,
    texts.toSorted((a, b) => a.id - b.id),
  )
  if (isDecision(review.kind)) await replaceDecisions(tx, review, at)
  const teamIds = isDecision(review.kind) ? await listAskedTeams(tx, pull.id, userId) : []
  await deleteRequests(tx, pull.id, { userId, teamIds })
  await touchIssues(tx, [issue.id], at)
  await appendReviewEvent(change, 'review.submitted', {
    review_id: review.id,
    kind: review.kind,
    reviewer_id: userId,
    body: review.body,
  })
}
