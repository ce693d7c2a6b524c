import { branchRef, type GitRepo } from '../../../../core/git/index.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { mergeabilityOf } from '../../pulls/pull.policy.ts'
import type { Repo } from '../../../repositories/index.ts'
import { unbuilt } from '../merge-errors.ts'
import { planMergeCommit } from '../messages/merge-commit.ts'
import { findIntent } from '../perform/merge-intent.store.ts'
import type { MergeDeps } from '../perform/merge-pull.ts'
import { isUnderWay, settleIntent } from '../perform/settle-intent.ts'
import { loadMergeFacts } from '../rules/load-merge-facts.ts'
import { mergeProblem } from '../rules/merge-rules.policy.ts'
import { type BuiltBatch, moveBatch, type MoveOutcome } from './move-batch.ts'
import type { OrderedMerge } from './ordered-merge.ts'

export type BatchMerges = ReturnType<typeof createBatchMerges>

/** Merging several pull requests by one move of their base: what a merge queue does. */
export function createBatchMerges(deps: MergeDeps) {
  return {
    /**
     * Why it cannot be merged by a queue now; undefined when it can. Required statuses of the head and commits of the
     * base that the head lacks are no reason (behaviour/pull-requests#merge-queue).
     */
    problem: (merge: OrderedMerge): Promise<string | undefined> => findProblem(deps, merge),
    /**
     * Builds the commit that merges it upon `base`, or says why there is none; moves no ref. Call within `writing` of the
     * repository, and point a ref to the commit right after.
     */
    async build(
      { actor, target, order }: OrderedMerge,
      { git, base }: { readonly git: GitRepo; readonly base: string },
    ): Promise<{ readonly oid: string } | { readonly problem: string }> {
      const { action } = order
      if (action === 'manually-merged') return { problem: 'manually-merged makes no commit' }
      const commits = await planMergeCommit(deps, { actor, target, order, git, at: deps.clock.now() })
      const outcome = await git.merges.build({ style: action, base, head: target.pull.headOid, ...commits })
      return outcome.kind === 'built' ? { oid: outcome.commit } : { problem: describe(unbuilt(outcome, action)) }
    },
    /** Moves the base over all of them. See `moveBatch`. */
    move: (batch: BuiltBatch): Promise<MoveOutcome> => moveBatch(deps, batch),
    /** Finishes or drops what a crash left of the merges of these; false when a process may still be at work on one. */
    async settle(repo: Repo, pullIds: readonly PullId[]): Promise<boolean> {
      for (const pullId of pullIds) {
        const intent = await findIntent(deps.database.read, pullId)
        if (intent === undefined) continue
        if (isUnderWay(deps, intent)) return false
        await settleIntent(deps, repo, intent)
      }
      return true
    },
  }
}

async function findProblem(deps: MergeDeps, { actor, target, order }: OrderedMerge): Promise<string | undefined> {
  const { pull, repo } = target
  const git = deps.git.open(repo)
  const baseOid = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  if (baseOid === undefined) return 'the base branch does not exist'
  const canSign = deps.signer !== undefined
  const facts = await loadMergeFacts({ ...deps, canSign }, actor, target, { git, baseOid })
  const problem = mergeProblem(facts, { ...order, isScheduled: false, isQueued: true })
  const isConflict = mergeabilityOf(pull, { baseOid, headOid: pull.headOid }) === 'conflict'
  return problem !== undefined && isConflict && facts.mayMerge ? 'it conflicts with its base' : problem
}

const describe = ({
  message,
  members,
}: {
  message: string
  members?: Readonly<Record<string, unknown>> | undefined
}) => (typeof members?.['Err'] === 'string' ? `${message}: ${members['Err']}` : message)
