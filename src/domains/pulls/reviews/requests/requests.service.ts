import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { errors } from '../../../errors.ts'
import { type PullChange, changePull } from '../../pulls/lifecycle/pull-change.ts'
import type { PullInView } from '../../pulls/pull-in-view.ts'
import type { ReviewPort, WantedReviewers } from '../../pulls/pull-views.ts'
import { blockQueries } from '../../../accounts/index.ts'
import type { Review } from '../records/review.store.ts'
import {
  findReviewers,
  type Reviewer,
  findProblem,
  mayChooseReviewers,
  type PlannedRequest,
  planRequest,
  refusal,
  recordRequest,
  recordRequestDeletion,
} from './plan-requests.ts'
import type { ReviewTarget } from '../reviews.policy.ts'

/** Requests for reviews (behaviour/pull-requests#requested-reviewers). */
export interface ReviewRequests extends Pick<ReviewPort, 'prepareRequests'> {
  /**
   * Requests reviews one after the other: when one is refused, the earlier ones stay. Returns the new requests. Throws
   * NotFound for an unknown user or team before requesting any, Invalid for a violated rule, Forbidden for a block
   * between the two and for a user who has reviewed a closed pull request.
   */
  add(actor: SignedIn, target: PullInView, wanted: WantedReviewers): Promise<Review[]>
  /** Withdraws requests; ignores missing ones. Users may withdraw their own. Throws as `add`. */
  delete(actor: SignedIn, target: PullInView, wanted: WantedReviewers): Promise<void>
}

export type RequestDeps = Pick<Core, 'database' | 'clock' | 'events'>

export function createReviewRequests(deps: RequestDeps): ReviewRequests {
  const { read } = deps.database
  async function plan(actor: SignedIn, position: ReviewTarget, reviewer: Reviewer): Promise<PlannedRequest> {
    const problem = await findProblem(read, position, reviewer)
    if (problem !== undefined) throw refusal(problem, actor, position)
    return planRequest(read, position, reviewer)
  }
  return {
    async add(actor, target, wanted) {
      if (isEmpty(wanted)) return []
      const position = positionOf(target)
      // NOTE: checked before the lookup, so that other accounts cannot find out which teams and addresses exist.
      if (!(await mayChooseReviewers(read, actor, position)))
        throw refusal("Doer can't choose reviewer", actor, position)
      const added: Review[] = []
      for (const reviewer of await findReviewers(read, actor, target.repo, wanted)) {
        const planned = await plan(actor, position, reviewer)
        const review = await changeRequests(deps, actor, target, (change) => ask(change, actor, planned))
        if (review !== undefined) added.push(review)
      }
      return added
    },
    async delete(actor, target, wanted) {
      if (isEmpty(wanted)) return
      const position = positionOf(target)
      const mayChoose = await mayChooseReviewers(read, actor, position)
      if (!mayChoose && !namesOnly(actor, wanted)) throw refusal("Doer can't remove reviewer", actor, position)
      for (const reviewer of await findReviewers(read, actor, target.repo, wanted)) {
        if (reviewer.user?.kind === 'organization')
          throw refusal("Organization can't be added as reviewer", actor, position)
        await changeRequests(deps, actor, target, async (change) => {
          if (reviewer.user?.id !== actor.account.id) await requireNotBlocked(change, actor)
          await recordRequestDeletion(change, reviewer)
        })
      }
    },
    async prepareRequests(actor, { repo }, { base, ...wanted }) {
      const position = { repo, baseBranch: base, authorId: actor.account.id }
      const planned: PlannedRequest[] = []
      for (const reviewer of await findReviewers(read, actor, repo, wanted))
        planned.push(await plan(actor, position, reviewer))
      return async (change) => {
        for (const each of planned) await ask(change, actor, each)
      }
    },
  }
}

const isEmpty = ({ reviewers, teams }: WantedReviewers): boolean => reviewers.length + teams.length === 0

const positionOf = ({ repo, pull, issue }: PullInView): ReviewTarget => ({
  repo,
  baseBranch: pull.baseBranch,
  authorId: issue.authorId,
})

/** Whether the request names only the account itself, by its login. */
function namesOnly({ account }: SignedIn, { reviewers, teams }: WantedReviewers): boolean {
  return teams.length === 0 && reviewers.every((name) => name.toLowerCase() === account.name.toLowerCase())
}

/** Throws Forbidden when the reviewer, the author or the owner of the repository blocks the account. */
async function ask(change: PullChange, actor: SignedIn, planned: PlannedRequest): Promise<Review | undefined> {
  await requireNotBlocked(change, actor, planned.reviewer)
  return recordRequest(change, planned)
}

async function requireNotBlocked(
  { tx, repo, issue }: PullChange,
  { account }: SignedIn,
  reviewer?: Reviewer,
): Promise<void> {
  if (account.isAdmin) return
  await blockQueries.requireUnblocked(tx, account.id, [
    repo.ownerId,
    issue.authorId,
    ...(reviewer?.user ? [reviewer.user.id] : []),
  ])
}

/**
 * Runs one transaction, with the rows of the issue and the pull request locked. Throws NotFound when it was deleted.
 */
async function changeRequests<T>(
  deps: RequestDeps,
  actor: SignedIn,
  target: PullInView,
  work: (change: PullChange) => Promise<T>,
): Promise<T> {
  const done = await changePull(deps, actor, target, async (change) => ({ value: await work(change) }))
  if (done === undefined) throw errors.pullDeleted()
  return done.value
}
