import type { Tx } from '../../../../core/db/database.ts'
import { branchRef, type GitRepo, RefConflictError } from '../../../../core/git/index.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { Repo } from '../../../repositories/index.ts'
import { PushRefusedError } from '../../../code/index.ts'
import { forgetIntent } from '../perform/forget-intent.ts'
import type { MergeIntent } from '../perform/merge-intent.store.ts'
import { claimPull, intentOf, type MergeDeps } from '../perform/merge-pull.ts'
import { recordMerge } from '../perform/record-merge.ts'
import { branchKey, settleIntent } from '../perform/settle-intent.ts'
import type { OrderedMerge } from './ordered-merge.ts'

/** A merge with the commit that was built for it. */
interface BuiltMerge extends OrderedMerge {
  readonly oid: string
}

export interface BuiltBatch {
  readonly repo: Repo
  readonly git: GitRepo
  readonly branch: string
  /** What the first was built upon. */
  readonly baseOid: string
  /** At least one; each was built upon the one before it. */
  readonly merges: readonly BuiltMerge[]
  /** Runs in the transaction after which the base moves. Throws Conflict when the batch is another by now. */
  claim(tx: Tx): Promise<void>
}

export type MoveOutcome =
  | { readonly kind: 'moved' }
  /** The base is not at `baseOid`. */
  | { readonly kind: 'stale' }
  /** A pull request, or the batch, changed since it was looked at; `claim` has not happened. */
  | { readonly kind: 'changed' }
  /** The push of the base is not allowed. */
  | { readonly kind: 'refused'; readonly reason: string }

interface Claimed {
  readonly merge: BuiltMerge
  readonly intent: MergeIntent
  readonly mergeBase: string | undefined
}

/**
 * Moves the base to the last commit and records all of the merges with that, in the name of who ordered the first. What
 * a crash leaves is settled as that of one merge.
 */
export function moveBatch(deps: MergeDeps, batch: BuiltBatch): Promise<MoveOutcome> {
  const { repo, git, branch } = batch
  return deps.locks.run(branchKey({ repoId: repo.id, baseBranch: branch }), () =>
    git.writing(async () => {
      const claimed = await planIntents(deps, batch)
      try {
        await deps.database.transaction((tx) => claimAll(deps, tx, batch, claimed))
      } catch (error) {
        if (isDomainError(error) && error.kind !== 'unavailable') return { kind: 'changed' }
        throw error
      }
      return move(deps, batch, claimed)
    }),
  )
}

async function planIntents(deps: MergeDeps, { git, baseOid, merges }: BuiltBatch): Promise<Claimed[]> {
  const claimed: Claimed[] = []
  for (const merge of merges) {
    const { actor, order, target, oid } = merge
    const mergeBase = await git.history.mergeBase(baseOid, target.pull.headOid)
    claimed.push({ merge, intent: intentOf(deps, target, { actor, order, isAuto: true }, oid), mergeBase })
  }
  return claimed
}

/** Rows are locked in the order of their ids, whatever that of the batch. */
async function claimAll(deps: MergeDeps, tx: Tx, batch: BuiltBatch, claimed: readonly Claimed[]): Promise<void> {
  const ordered = claimed.toSorted((a, b) => a.merge.target.issue.id - b.merge.target.issue.id)
  for (const { merge, intent } of ordered) await claimPull(deps, tx, merge, intent)
  await batch.claim(tx)
}

async function move(
  deps: MergeDeps,
  { repo, branch, baseOid, merges }: BuiltBatch,
  claimed: readonly Claimed[],
): Promise<MoveOutcome> {
  const [first, last] = [merges[0]!, merges.at(-1)!]
  const inTransaction = async (tx: Tx): Promise<void> => {
    for (const { merge, intent, mergeBase } of claimed) {
      const issueId = merge.target.issue.id
      await recordMerge(deps, tx, { repo, issueId, intent, mergedAt: intent.at, mergeBase })
    }
  }
  const change = { ref: branchRef(branch), oldOid: baseOid, newOid: last.oid }
  try {
    await deps.pushes.requireMergeable(first.actor, first.target, change, { isForced: false })
    await deps.pushes.moveRefs(first.actor, repo, { changes: [change], inTransaction })
    return { kind: 'moved' }
  } catch (error) {
    if (error instanceof RefConflictError || error instanceof PushRefusedError) {
      await deps.database.transaction(async (tx) => {
        for (const { intent } of claimed) await forgetIntent(deps.jobs, tx, intent)
      })
      return error instanceof RefConflictError ? { kind: 'stale' } : { kind: 'refused', reason: error.message }
    }
    // NOTE: after any other error the ref may have moved.
    for (const { intent } of claimed) await settleIntent(deps, repo, intent)
    if (isDomainError(error, 'quota-exceeded')) return { kind: 'refused', reason: error.message }
    throw error
  }
}
