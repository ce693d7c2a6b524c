import type { GitRepo } from '../../../../core/git/index.ts'
import { timelineQueries } from '../../../issues/index.ts'
import { checkColumns, checkMerge } from '../mergeability/merge-ref.ts'
import { type MergeCheck, type Pull, updatePull } from '../records/pull.store.ts'
import { type PullChange, pullPayload } from './pull-change.ts'
import { listPushedCommits, recordPushEntry, retainPushedCommits } from './move-head.ts'

/** A new base, with the result of a merge into it. */
export interface NewBase {
  readonly branch: string
  readonly check: MergeCheck & { readonly mergeBase: string }
  /** The commits of the pull request that the base lacks, oldest first. */
  readonly commits: readonly string[]
  /** The server chose it because the former base was deleted. */
  readonly isAutomatic?: boolean
}

/** Compares a pull request with another base. At most two git processes. */
export async function prepareBase(
  git: GitRepo,
  { headOid }: Pull,
  base: { readonly branch: string; readonly oid: string },
): Promise<NewBase> {
  const check = await git.writing(() => checkMerge(git, base.oid, headOid))
  return { branch: base.branch, check, commits: await listPushedCommits(git, headOid, [check.mergeBase]) }
}

/**
 * Sets the base that was prepared for the current head, and rewrites the entries of pushes. The caller has checked that
 * no open pull request has the target.
 */
export async function setBase(
  change: PullChange,
  { branch, check, commits, isAutomatic = false }: NewBase,
): Promise<void> {
  const { tx, actor, events, issue, pull, repo, at } = change
  await updatePull(tx, pull.id, {
    base_branch: branch,
    merge_base: check.mergeBase,
    ...checkColumns(check),
  })
  const payload = { oldRef: pull.baseBranch, newRef: branch }
  await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, { kind: 'change_target_branch', payload })
  await retainPushedCommits(change, [])
  await recordPushEntry(change, commits)
  await events.append(
    tx,
    'pull.retargeted',
    { actor, repoId: repo.id, at },
    { ...pullPayload(change), old_base: pull.baseBranch, new_base: branch, is_automatic: isAutomatic },
  )
}
