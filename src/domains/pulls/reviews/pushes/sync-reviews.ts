import { ANONYMOUS, type Actor } from '../../../../core/access/viewer.ts'
import type { DiffSpan, FileLines, GitRepo } from '../../../../core/git/index.ts'
import type { PullId, ReviewId } from '../../../../core/platform/crypto/ids.ts'
import { protectionQueries } from '../../../code/index.ts'
import { type PullChange, changePull } from '../../pulls/lifecycle/pull-change.ts'
import { type Pull, findPull } from '../../pulls/records/pull.store.ts'
import { repoQueries } from '../../../repositories/index.ts'
import {
  clearStale,
  listFreshReviews,
  markStale,
  type CommentPosition,
  listCurrentPositions,
  updateCommentPosition,
} from '../records/records.store.ts'
import type { ReviewDeps } from '../review-in-view.ts'
import { currentSpan, isStale, recordDismissal } from '../reviews/post-review.ts'

export type SyncDeps = Omit<ReviewDeps, 'attachments' | 'texts'>

interface Moved {
  readonly position: CommentPosition
  /** Undefined for an outdated comment. */
  readonly to: FileLines | undefined
}

/**
 * Updates the reviews of a pull request to its head: marks reviews of other changes as stale, dismisses their approvals
 * where the protection requires it, and moves comments with their lines or marks them as outdated
 * (behaviour/pull-requests#branch-lifecycle). Idempotent.
 */
export async function syncReviews(deps: SyncDeps, actor: Actor, pullId: PullId): Promise<void> {
  const { read } = deps.database
  const pull = await findPull(read, pullId)
  const repo = pull && (await repoQueries.findById(read, pull.baseRepoId))
  if (pull === undefined || repo === undefined) return
  const git = deps.git.open(repo)
  const stale = await findStale(git, pull, await listFreshReviews(read, pullId))
  const moved = await moveComments(git, pull, await listCurrentPositions(read, pullId))
  const rule = await (await protectionQueries.loadBranchRules(read, repo, ANONYMOUS)).ruleOf(pull.baseBranch)
  await changePull(deps, actor, { repo, pull }, async (change) => {
    // NOTE: the head moved again; the job of that move will update the reviews.
    if (change.pull.headOid !== pull.headOid) return
    await clearStale(change.tx, pull.id, pull.headOid)
    const nowStale = await markStale(change.tx, stale)
    if (rule?.dismissStaleApprovals)
      for (const review of nowStale)
        if (review.kind === 'approved' && !review.isDismissed) await recordDismissal(change, review, DISMISSED)
    await writePositions(change, pull, moved)
  })
}

const DISMISSED = 'New commits pushed, approval review dismissed automatically according to repository settings'

async function findStale(
  git: GitRepo,
  pull: Pull,
  reviews: readonly { readonly id: ReviewId; readonly commitOid: string }[],
): Promise<ReviewId[]> {
  const stale: ReviewId[] = []
  for (const [commitOid, of] of Map.groupBy(reviews, (review) => review.commitOid))
    if (await isStale(git, pull, commitOid)) stale.push(...of.map(({ id }) => id))
  return stale
}

async function moveComments(git: GitRepo, pull: Pull, positions: readonly CommentPosition[]): Promise<Moved[]> {
  const current = currentSpan(pull)
  const moved: Moved[] = []
  for (const some of Map.groupBy(positions, (position) => `${position.baseOid} ${position.commitOid}`).values()) {
    const { baseOid: base, commitOid: head } = some[0]!
    if (base === current.base && head === current.head) continue
    const found = await follow(git, { base, head }, current, some)
    moved.push(...some.map((position, index) => ({ position, to: found[index] })))
  }
  return moved
}

/** Comments on commits that the repository has lost become outdated. */
async function follow(
  git: GitRepo,
  before: DiffSpan,
  after: DiffSpan,
  positions: readonly CommentPosition[],
): Promise<readonly (FileLines | undefined)[]> {
  const known = await Promise.all([before.base, before.head].map((oid) => git.objects.findInfo(oid)))
  if (known.includes(undefined)) return []
  const ranges = positions.map(({ path, side, startLine, line }) => ({ path, side, first: startLine, last: line }))
  return git.diffLines.follow(before, after, ranges)
}

async function writePositions({ tx }: PullChange, pull: Pull, moved: readonly Moved[]): Promise<void> {
  for (const { position, to } of moved)
    await updateCommentPosition(
      tx,
      position.entryId,
      to === undefined
        ? { is_outdated: 1 }
        : {
            path: to.path,
            line: to.last,
            start_line: to.first,
            commit_oid: pull.headOid,
            base_oid: pull.mergeBase,
          },
    )
}
