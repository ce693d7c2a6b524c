import type { Actor } from '../../../../core/access/viewer.ts'
import { branchRef, type RefSnapshot } from '../../../../core/git/index.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import { lockIssueNumbers } from '../../../issues/index.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import {
  type BranchOf,
  findMergedBase,
  findOpenDuplicate,
  listOpenPullsFrom,
  listOpenPullsInto,
  type Pull,
} from '../records/pull.store.ts'
import { followMergeRef } from '../mergeability/merge-ref.ts'
import { isMergeRef } from '../pull.policy.ts'
import { closeInChange, closePull } from './close-pull.ts'
import { enqueueFollow, followMoved, type FollowMovedDeps } from './follow-moved.ts'
import type { HeadDeps } from './move-head.ts'
import { changePull, findPlace } from './pull-change.ts'
import { recheck } from './recheck.ts'
import { refreshPull } from './refresh.ts'
import { prepareBase, setBase } from './retarget.ts'

export interface FollowDeps extends HeadDeps, FollowMovedDeps {
  /** Pull requests into a deleted branch get another base in place of being closed. */
  readonly retargets: boolean
}

interface Branch extends BranchOf {
  readonly repo: Repo
  readonly refs: RefSnapshot
  /** Undefined when the branch was deleted. */
  readonly oid: string | undefined
  /** NOTE: a merge ref that is made later is made of the present tips. */
  readonly hasMergeRefs: boolean
}

/**
 * Makes the open pull requests from and into a branch follow the branch as it is now
 * (behaviour/pull-requests#branch-lifecycle). Safe to run again; works on one pull request at a time. One that fails
 * does not stop the others; throws the first failure at the end. Of those into the branch it takes the next few behind
 * `afterId`, and enqueues a job for the rest; those from the branch are looked at with the first of these.
 */
export async function followBranch(
  deps: FollowDeps,
  actor: Actor,
  { repoId, branch, afterId }: BranchOf & { readonly afterId: PullId | 0 },
  signal: AbortSignal,
): Promise<void> {
  const repo = await findRepoById(deps.database.read, repoId)
  if (repo === undefined) return
  const refs = await deps.git.open(repo).refs.snapshot()
  const hasMergeRefs = refs.list('refs/pull/').some(({ name }) => isMergeRef(name))
  const found = { repoId, branch, repo, refs, oid: refs.get(branchRef(branch))?.oid, hasMergeRefs }
  const failures: unknown[] = []
  const each = async (pull: Pull, work: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted()
    await work().catch((error: unknown) => {
      deps.log.warn({ err: error, pull: pull.id }, 'a pull request could not follow a branch')
      failures.push(error)
    })
  }
  const from = afterId === 0 ? await listOpenPullsFrom(deps.database.read, found) : []
  for (const pull of from)
    await each(pull, () =>
      found.oid === undefined ? closePull(deps, actor, pull, branch) : refreshPull(deps, actor, pull.id),
    )
  const into = await listOpenPullsInto(deps.database.read, found, { afterId, limit: STEP })
  for (const pull of into)
    await each(pull, () =>
      found.oid === undefined ? replaceBase(deps, actor, found, pull) : recheckInto(deps, found, pull),
    )
  if (into.length === STEP)
    await deps.database.transaction((tx) =>
      enqueueFollow(tx, deps.jobs, { repoId, branch, afterId: into.at(-1)!.id }, actor.account.id),
    )
  if (failures.length > 0) throw failures[0]
}

/**
 * Pull requests of one job. A thousand into one branch take minutes, in which the jobs of other branches and
 * repositories would have to wait.
 */
const STEP = 25

async function recheckInto(deps: FollowDeps, { repo, hasMergeRefs }: Branch, pull: Pull): Promise<void> {
  const checked = await recheck(deps, { id: pull.id, repo })
  if (!hasMergeRefs) return
  const place = await findPlace(deps, pull)
  if (place !== undefined) await followMergeRef(deps, place, { makes: false, checked })
}

/**
 * The base of the pull request that was merged from the deleted branch becomes the base of those into it, otherwise the
 * default branch. Closes the pull request where an equal one is open, and where retargeting is off.
 */
async function replaceBase(deps: FollowDeps, actor: Actor, { repo, branch, refs }: Branch, pull: Pull): Promise<void> {
  const { database, git, retargets } = deps
  const merged = await findMergedBase(database.read, { repoId: repo.id, branch })
  const name = [merged, repo.defaultBranch].find((candidate) => candidate && refs.get(branchRef(candidate)))
  if (!retargets || name === undefined) return closePull(deps, actor, pull, branch)
  const base = await prepareBase(git.open(repo), pull, { branch: name, oid: refs.get(branchRef(name))!.oid })
  await changePull(deps, actor, { repo, pull }, async (change) => {
    const { isAgit, headOid, headRepoId, headBranch, baseRepoId, baseBranch } = change.pull
    if (change.issue.isClosed || baseBranch !== branch) return
    if (headOid !== base.check.headOid) throw conflict('the head of the pull request moved meanwhile')
    await lockIssueNumbers(change.tx, baseRepoId)
    const target = { isAgit, headRepoId: headRepoId!, headBranch, baseRepoId, baseBranch: name }
    if (headRepoId === undefined || (await findOpenDuplicate(change.tx, target))) return closeInChange(change)
    await setBase(change, { ...base, isAutomatic: true })
  })
  await followMoved(deps, actor, [{ repo, name, oid: base.check.baseOid }])
}
