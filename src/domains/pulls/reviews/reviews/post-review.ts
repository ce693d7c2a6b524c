import type { SignedIn } from '../../../../core/access/viewer.ts'
import { flag } from '../../../../core/db/flag.ts'
import { forbidden, invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { requireOpenToComments, type EntryText, timelineQueries, issueQueries } from '../../../issues/index.ts'
import { protectionQueries } from '../../../code/index.ts'
import { type PullChange, changePull } from '../../pulls/lifecycle/pull-change.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import { insertComments, type LocatedComment, locateComments, type NewComment } from '../comments/locate-comments.ts'
import {
  deleteRequests,
  listRequestedTeams,
  replaceDecisions,
  listCommentPositions,
  listPriorDecisions,
} from '../records/records.store.ts'
import { findPendingReview, insertReview, type Review, updateReview, lockReview } from '../records/review.store.ts'
import type { ReviewDeps, ReviewInView } from '../review-in-view.ts'
import { appendReviewEvent } from '../reviews.events.ts'
import { isDecision, requireReview, type Verdict } from '../reviews.policy.ts'
import { branchRef, type DiffSpan, type GitRepo } from '../../../../core/git/index.ts'
import type { Pull } from '../../pulls/records/pull.store.ts'

export const currentSpan = ({ mergeBase, headOid }: Pull): DiffSpan => ({ base: mergeBase, head: headOid })

/** The diff of a former head. Undefined when the repository does not have the commit. */
export async function findSpan(git: GitRepo, pull: Pull, commitOid: string): Promise<DiffSpan | undefined> {
  if (commitOid === pull.headOid) return currentSpan(pull)
  if (!/^[0-9a-f]+$/.test(commitOid) || commitOid.length !== git.zeroOid.length) return undefined
  if ((await git.objects.findInfo(commitOid))?.type !== 'commit') return undefined
  const base = await git.history.mergeBase(pull.mergeBase, commitOid)
  return { base: base ?? pull.mergeBase, head: commitOid }
}

/** Throws Invalid. */
async function requireSpan(git: GitRepo, pull: Pull, commitOid: string): Promise<DiffSpan> {
  const span = await findSpan(git, pull, commitOid)
  if (span === undefined) throw invalid(`commit does not exist: ${commitOid}`)
  return span
}

/**
 * Whether the pull request has changed since a commit was its head. With several merge bases no diff shows everything
 * that a merge would change, so a change is assumed.
 */
export async function isStale(git: GitRepo, pull: Pull, commitOid: string): Promise<boolean> {
  if (commitOid === pull.headOid) return false
  const base = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))
  if (base !== undefined && (await git.history.mergeBases(base.oid, pull.headOid)).length > 1) return true
  const span = await findSpan(git, pull, commitOid)
  return span === undefined || !(await git.samePatch.isSame(span, currentSpan(pull)))
}

type TextDeps = Pick<ReviewDeps, 'texts'>

/**
 * Publishes texts of reviews: to searches, references and mentioned users (behaviour/issues#listing-and-search). Call
 * in the transaction that submits them, once for each text.
 */
export async function publishTexts(deps: TextDeps, change: PullChange, texts: readonly EntryText[]): Promise<void> {
  const written = texts.filter(({ body }) => body.trim() !== '')
  for (const { id, body } of written) await issueQueries.indexText(change.tx, change.issue, id, body)
  await deps.texts.publish(change, written)
}

/** Reverts `publishTexts` for deleted texts. */
export async function retractTexts(deps: TextDeps, change: PullChange, entryIds: readonly number[]): Promise<void> {
  for (const id of entryIds) await issueQueries.deleteText(change.tx, change.issue.id, id)
  await deps.texts.retract(change, entryIds)
}

export interface NewReview {
  readonly verdict: Verdict
  readonly body: string
  /** Defaults to the head. */
  readonly commitOid: string | undefined
  readonly comments: readonly NewComment[]
}

/** The data from git about a review, read before its transaction. */
export interface Prepared extends Pick<NewReview, 'body' | 'verdict'> {
  readonly commitOid: string
  readonly comments: readonly LocatedComment[]
  readonly isOfficial: boolean
  readonly isStale: boolean
  /** The head of the reviewed pull request. */
  readonly headOid: string
  /** The base of the reviewed pull request. */
  readonly baseBranch: string
}

/**
 * Creates a review, or continues the actor's pending one (behaviour/pull-requests#reviews). Throws Invalid with the
 * API's messages, and Forbidden for a blocked account.
 */
export async function postReview(
  deps: ReviewDeps,
  actor: SignedIn,
  target: PullInView,
  { verdict, body, commitOid = target.pull.headOid, comments }: NewReview,
): Promise<Review> {
  const { repo, pull, issue } = target
  const pending = await findPendingReview(deps.database.read, pull.id, actor.account.id)
  const kept = pending === undefined ? [] : await listCommentPositions(deps.database.read, pending.id)
  const facts = { verdict, body: body.trim(), reviewerId: actor.account.id, authorId: issue.authorId }
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
    const pending = found ?? (await insertPending(change, prepared))
    return recordReview(deps, change, { pending, prepared, isNew: found === undefined })
  })
  if (review === undefined) throw errors.pullDeleted()
  return review
}

/**
 * Whether a review of a commit is official and stale, and for which base. NOTE: runs queries and git, so call it
 * outside of transactions.
 */
export async function judge(
  { database: { read }, git }: ReviewDeps,
  { account }: SignedIn,
  { repo, pull }: PullInView,
  { verdict, commitOid }: Pick<Prepared, 'verdict' | 'commitOid'>,
): Promise<Pick<Prepared, 'baseBranch' | 'headOid' | 'isOfficial' | 'isStale'>> {
  return {
    headOid: pull.headOid,
    baseBranch: pull.baseBranch,
    isOfficial:
      isDecision(verdict) && (await protectionQueries.isOfficialReviewer(read, repo, pull.baseBranch, account)),
    isStale: await isStale(git.open(repo), pull, commitOid),
  }
}

/** Throws Forbidden for a blocked account and a locked pull request, and Invalid when the pull request was closed. */
export async function requireOpenTo(
  { tx, issue }: PullChange,
  actor: SignedIn,
  target: PullInView,
  verdict: Verdict,
): Promise<void> {
  await requireOpenToComments(tx, actor, target, issue)
  const { isClosed, authorId } = issue
  requireReview({ verdict, body: 'checked', hasComments: true, reviewerId: actor.account.id, authorId, isClosed })
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

interface PostedReview {
  readonly pending: Review
  readonly prepared: Prepared
  /** The pending review has no texts yet. */
  readonly isNew?: boolean
}

/** Writes the posted data into a pending review of the actor, and submits it unless it stays pending. */
export async function recordReview(
  deps: Pick<ReviewDeps, 'texts'>,
  change: PullChange,
  { pending, prepared, isNew = false }: PostedReview,
): Promise<Review> {
  const { tx, issue, pull, actor, at } = change
  const { verdict, body, commitOid, baseBranch } = prepared
  const isWhole = isNew && verdict !== 'pending' && prepared.comments.length === 0
  const [entry] = await timelineQueries.insert(tx, { issue, actorId: actor.account.id, at }, [
    { kind: isWhole ? 'review' : 'pending_review', body, payload: { reviewId: pending.id } },
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
  if (verdict === 'pending') return review
  const { texts, positions } = isWhole ? { texts: [entry!], positions: [] } : await publishPending(change, review)
  await publishTexts(deps, change, texts)
  const { base, head } = currentSpan(pull)
  const isCurrent = positions.every(({ baseOid, commitOid }) => baseOid === base && commitOid === head)
  await submit(change, review, isCurrent && prepared.headOid === head)
  return review
}

/** Publishes the entries of a pending review. Returns them, oldest first, and the positions of its comments. */
async function publishPending({ tx, issue, at }: PullChange, review: Review) {
  const entries = await timelineQueries.listOfKind(tx, issue.id, 'pending_review')
  const positions = await listCommentPositions(tx, review.id)
  const own = entries.filter(({ payload }) => 'reviewId' in payload && payload.reviewId === review.id)
  const entryIds = [...own.map(({ id }) => id), ...positions.map(({ entryId }) => entryId)]
  await timelineQueries.publish(tx, entryIds, at)
  const texts = await timelineQueries.listByIds(tx, entryIds)
  return { texts: texts.toSorted((a, b) => a.id - b.id), positions }
}

async function submit(change: PullChange, review: Review, isCurrent: boolean): Promise<void> {
  const { tx, issue, pull, at } = change
  const userId = review.reviewerId!
  if (isDecision(review.kind)) await replaceDecisions(tx, review, at)
  const teamIds = isDecision(review.kind) ? await listRequestedTeams(tx, pull.id, userId) : []
  await deleteRequests(tx, pull.id, { userId, teamIds })
  await issueQueries.touch(tx, [issue.id], at)
  await appendReviewEvent(change, 'review.submitted', {
    review_id: review.id,
    kind: review.kind,
    reviewer_id: userId,
    body: review.body,
    is_current: isCurrent,
  })
}

export interface Dismissal {
  /** The text in the timeline. */
  readonly message: string
  /** Whether earlier reviews of the same reviewer are dismissed too. */
  readonly withPriors: boolean
}

/**
 * Dismisses a review, even if it is already dismissed (behaviour/pull-requests#reviews). Throws Forbidden as
 * `requireDismissable`.
 */
export const dismissReview = (
  deps: ReviewDeps,
  actor: SignedIn,
  target: ReviewInView,
  { message, withPriors }: Dismissal,
): Promise<Review> =>
  changeDecision(deps, actor, target, async (change, found) => {
    if (withPriors)
      for (const id of await listPriorDecisions(change.tx, found))
        await updateReview(change.tx, id, { is_dismissed: 1, updated_at: change.at })
    return recordDismissal(change, found, message)
  })

/** Does not write to the timeline. Throws Forbidden as `requireDismissable`. */
export const undismissReview = (deps: ReviewDeps, actor: SignedIn, target: ReviewInView): Promise<Review> =>
  changeDecision(deps, actor, target, ({ tx, at }, { id }) => updateReview(tx, id, { is_dismissed: 0, updated_at: at }))

export async function recordDismissal(change: PullChange, { id }: Review, message: string): Promise<Review> {
  const { tx, issue, actor, at } = change
  const dismissed = await updateReview(tx, id, { is_dismissed: 1, updated_at: at })
  const origin = { issue, actorId: actor.account.id, at }
  await timelineQueries.record(tx, origin, { kind: 'dismiss_review', body: message, payload: { reviewId: id } })
  await appendReviewEvent(change, 'review.dismissed', { review_id: id })
  return dismissed
}

async function changeDecision(
  deps: ReviewDeps,
  actor: SignedIn,
  { repo, pull, review: { id } }: ReviewInView,
  work: (change: PullChange, review: Review) => Promise<Review>,
): Promise<Review> {
  const changed = await changePull(deps, actor, { repo, pull }, async (change) => {
    const review = await lockReview(change.tx, id)
    if (review === undefined) return undefined
    requireDismissable(change, review)
    return work(change, review)
  })
  if (changed === undefined) throw errors.reviewNotFound()
  return changed
}

/** Throws Forbidden for reviews other than approvals and rejections, and for a closed pull request. */
function requireDismissable({ issue }: PullChange, { kind }: Review): void {
  if (!isDecision(kind))
    throw forbidden("not need to dismiss this review because it's type is not Approve or change request")
  if (issue.isClosed) throw forbidden("can't dismiss a review associated to a closed or merged PR")
}
