import { branchRef, type GitRepo, RefConflictError } from '../../../core/git/index.ts'
import type { PullId } from '../../../core/platform/crypto/ids.ts'
import { type DomainError, isDomainError } from '../../../core/platform/errors.ts'
import { PushRefusedError } from '../../code/index.ts'
import type { Repo } from '../../repositories/index.ts'
import { mergeabilityOf } from '../pulls/pull.policy.ts'
import { toMergeError } from './merge-errors.ts'
import { findIntent } from './merges.store.ts'
import type { RequestedMerge } from './merge-request.ts'
import { type BaseMove, branchKey, build, isInProgress, type MergeDeps, moveBase, resumeMerge } from './merge-steps.ts'
import { loadMergeFacts } from './rules/load-merge-facts.ts'
import { mergeProblem } from './merges.policy.ts'

type MoveOutcome =
  | { readonly kind: 'moved' }
  /** The base is not at `baseOid`. */
  | { readonly kind: 'stale' }
  /** A pull request or the batch has changed since it was loaded; nothing was claimed. */
  | { readonly kind: 'changed' }
  /** A rule refuses the push to the base. */
  | { readonly kind: 'refused'; readonly reason: string }

export type BatchMerges = ReturnType<typeof createBatchMerges>

/** The steps of a merge queue, which merge several pull requests by one move of their base. */
export function createBatchMerges(deps: MergeDeps) {
  return {
    /**
     * The reason why a queue cannot merge the pull request now; undefined when it can. Missing required statuses of the
     * head and an outdated head are not reasons (behaviour/pull-requests#merge-queue).
     */
    problem: (merge: RequestedMerge): Promise<string | undefined> => findProblem(deps, merge),
    /**
     * Builds the merge commit upon `base`, or returns why that fails; moves no ref. Call within `writing` of the
     * repository, and point a ref to the commit right after.
     */
    async build(
      merge: RequestedMerge,
      on: { readonly git: GitRepo; readonly base: string },
    ): Promise<{ readonly oid: string } | { readonly problem: string }> {
      const { action: style } = merge.request
      if (style === 'manually-merged') return { problem: 'manually-merged makes no commit' }
      const outcome = await build(deps, merge, { ...on, style })
      return outcome.kind === 'built' ? { oid: outcome.commit } : { problem: describe(toMergeError(outcome, style)) }
    },
    /** Moves the base over all commits of the batch. See `moveBase`. */
    async move(batch: Omit<BaseMove, 'isAuto' | 'isForced'>): Promise<MoveOutcome> {
      const move = { ...batch, isAuto: true, isForced: false }
      try {
        await deps.locks.run(branchKey({ repoId: batch.repo.id, baseBranch: batch.branch }), () =>
          batch.git.writing(() => moveBase(deps, move)),
        )
        return { kind: 'moved' }
      } catch (error) {
        if (error instanceof RefConflictError) return { kind: 'stale' }
        if (error instanceof PushRefusedError || isDomainError(error, 'quota-exceeded'))
          return { kind: 'refused', reason: error.message }
        if (isDomainError(error) && error.kind !== 'unavailable') return { kind: 'changed' }
        throw error
      }
    },
    /** Resumes the interrupted merges of these pull requests; false when another process may still be running one. */
    async resume(repo: Repo, pullIds: readonly PullId[]): Promise<boolean> {
      for (const pullId of pullIds) {
        const intent = await findIntent(deps.database.read, pullId)
        if (intent === undefined) continue
        if (isInProgress(deps, intent)) return false
        await resumeMerge(deps, repo, intent)
      }
      return true
    },
  }
}

async function findProblem(deps: MergeDeps, { actor, target, request }: RequestedMerge): Promise<string | undefined> {
  const { pull, repo } = target
  const git = deps.git.open(repo)
  const baseOid = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))?.oid
  if (baseOid === undefined) return 'the base branch does not exist'
  const canSign = deps.signer !== undefined
  const facts = await loadMergeFacts({ ...deps, canSign }, actor, target, { git, baseOid })
  const problem = mergeProblem(facts, { ...request, isScheduled: false, isQueued: true })
  const isConflict = mergeabilityOf(pull, { baseOid, headOid: pull.headOid }) === 'conflict'
  return problem !== undefined && isConflict && facts.mayMerge ? 'it conflicts with its base' : problem
}

const describe = ({ message, members }: DomainError): string =>
  typeof members?.['Err'] === 'string' ? `${message}: ${members['Err']}` : message
