import type { Actor } from '../../../../core/access/viewer.ts'
import { branchRef, type RefSnapshot, isZeroOid, type GitRepo } from '../../../../core/git/index.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import { errors } from '../../../errors.ts'
import { issueQueries } from '../../../issues/index.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import {
  type BranchOf,
  findMergedBase,
  findOpenDuplicate,
  listOpenPullsFrom,
  listOpenPullsInto,
  type Pull,
  findPull,
  updateChecked,
} from '../records/pull.store.ts'
import { updateMergeRef, type CheckedTree, checkColumns, checkMerge } from '../mergeability/merge-ref.ts'
import { isMergeRef, pullHeadRef } from '../pull.policy.ts'
import {
  closeInChange,
  closePull,
  changePull,
  findLocation,
  type LifecycleDeps,
  type PullLocation,
} from './pull-change.ts'
import { type HeadDeps, syncHead, tipOfBase } from './move-head.ts'
import { prepareBase, setBase } from './retarget.ts'
import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import { type Branch, findHeadTip } from '../heads.ts'
import type { RecordedPush } from '../../../code/index.ts'
import { listPushedPulls, type PushedPull } from '../records/records.store.ts'

/** Updates an open pull request to the present tips of its head and base, for example after it was reopened. */
export async function refreshPull(deps: HeadDeps, actor: Actor, id: PullId): Promise<void> {
  const seen = await findPull(deps.database.read, id)
  const location = seen && (await findLocation(deps, seen))
  if (location === undefined) return
  await syncHead(deps, actor, location, (pull) => findHeadTip(deps, pull, location))
  await updateMergeRef(deps, location, { makes: false, checked: await recheck(deps, location) })
}

/** The tips may move during the comparison. */
const MAX_ROUNDS = 5

/**
 * Checks whether a pull request can be merged, unless the result for the present tips is known. Repeats when the tips
 * moved, since another process may have stored a newer check before. At most one git process in a round. A failed check
 * is recorded as `error`. Returns the result, or undefined where it was known. `seen` is the pull request as it was a
 * moment ago.
 */
async function recheck(
  deps: LifecycleDeps,
  { id, repo }: Pick<PullLocation, 'id' | 'repo'>,
  seen?: Pull,
): Promise<CheckedTree | undefined> {
  let checked: CheckedTree | undefined
  const git = deps.git.open(repo)
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pull = round === 0 && seen !== undefined ? seen : await findPull(deps.database.read, id)
    if (pull === undefined || pull.merge !== undefined) return checked
    const baseOid = await tipOfBase(git, pull)
    if (isChecked(pull, baseOid) && (pull.check.state !== 'error' || round > 0)) return checked
    const result = await checkTips(deps, git, pull, baseOid)
    await deps.database.transaction((tx) => updateChecked(tx, pull, checkColumns(result)))
    checked = result
  }
  return checked
}

const isChecked = ({ check, headOid }: Pull, baseOid: string): boolean =>
  check.baseOid === baseOid && check.headOid === headOid

const checkTips = (deps: LifecycleDeps, git: GitRepo, { id, headOid }: Pull, baseOid: string): Promise<CheckedTree> =>
  git
    .writing(() => checkMerge(git, baseOid, headOid))
    .catch((error: unknown) => {
      deps.log.warn({ err: error, pull: id }, 'failed to check whether a pull request can be merged')
      return { baseOid, headOid, conflicts: [], state: 'error' as const, tree: undefined }
    })

export interface SyncDeps extends HeadDeps, SyncMovedDeps {
  /** Pull requests into a deleted branch get another base instead of being closed. */
  readonly retargets: boolean
}

interface BranchState extends BranchOf {
  readonly repo: Repo
  readonly refs: RefSnapshot
  /** Undefined when the branch was deleted. */
  readonly oid: string | undefined
  /** NOTE: a merge ref that is created later uses the tips of that time. */
  readonly hasMergeRefs: boolean
}

/**
 * Updates the open pull requests from and into a branch to its present tip (behaviour/pull-requests#branch-lifecycle).
 * Safe to run again; works on one pull request at a time. A failure does not stop the others; throws the first one at
 * the end. Updates the next few pull requests into the branch after `afterId` and enqueues a job for the rest; those
 * from the branch are updated in the first round.
 */
export async function syncBranch(
  deps: SyncDeps,
  actor: Actor,
  { repoId, branch, afterId }: BranchOf & { readonly afterId: PullId | 0 },
  signal: AbortSignal,
): Promise<void> {
  const repo = await repoQueries.findById(deps.database.read, repoId)
  if (repo === undefined) return
  const refs = await deps.git.open(repo).refs.snapshot()
  const hasMergeRefs = refs.list('refs/pull/').some(({ name }) => isMergeRef(name))
  const found = { repoId, branch, repo, refs, oid: refs.get(branchRef(branch))?.oid, hasMergeRefs }
  const failures: unknown[] = []
  const each = async (pull: Pull, work: () => Promise<void>): Promise<void> => {
    signal.throwIfAborted()
    await work().catch((error: unknown) => {
      deps.log.warn({ err: error, pull: pull.id }, 'failed to update a pull request to its branch')
      failures.push(error)
    })
  }
  const from = afterId === 0 ? await listOpenPullsFrom(deps.database.read, found) : []
  for (const pull of from)
    await each(pull, () =>
      found.oid === undefined ? closePull(deps, actor, pull, branch) : refreshPull(deps, actor, pull.id),
    )
  const into = await listOpenPullsInto(deps.database.read, found, { afterId, limit: STEP })
  const checks = found.oid === undefined ? undefined : await recheckInto(deps, found, { afterId, into, signal })
  for (const pull of checks === undefined || hasMergeRefs ? into : [])
    await each(pull, () =>
      checks === undefined ? replaceBase(deps, actor, found, pull) : updateMergeRefOf(deps, pull, checks.get(pull.id)),
    )
  if (into.length === STEP)
    await deps.database.transaction((tx) =>
      enqueueSync(tx, deps.jobs, { repoId, branch, afterId: into.at(-1)!.id }, actor.account.id),
    )
  if (failures.length > 0) throw failures[0]
}

/**
 * The number of pull requests per job. A thousand of one branch take minutes, which would delay the jobs of other
 * branches and repositories.
 */
const STEP = 25

interface Step {
  readonly afterId: PullId | 0
  /** The pull requests of the step, as they were a moment ago. */
  readonly into: readonly Pull[]
  readonly signal: AbortSignal
}

/**
 * Checks the pull requests of a step as `recheck` does, but stores the results in one transaction and reads the pull
 * requests again at once.
 */
async function recheckInto(
  deps: SyncDeps,
  state: BranchState,
  { afterId, into, signal }: Step,
): Promise<ReadonlyMap<PullId, CheckedTree>> {
  const { repo } = state
  const git = deps.git.open(repo)
  const results: { readonly pull: Pull; readonly result: CheckedTree }[] = []
  for (const pull of into) {
    signal.throwIfAborted()
    const baseOid = await tipOfBase(git, pull)
    if (isChecked(pull, baseOid) && pull.check.state !== 'error') continue
    results.push({ pull, result: await checkTips(deps, git, pull, baseOid) })
  }
  const checks = new Map(results.map(({ pull, result }) => [pull.id, result]))
  if (results.length === 0) return checks
  await deps.database.transaction(async (tx) => {
    for (const { pull, result } of results) await updateChecked(tx, pull, checkColumns(result))
  })
  for (const pull of await listOpenPullsInto(deps.database.read, state, { afterId, limit: STEP })) {
    if (isChecked(pull, await tipOfBase(git, pull))) continue
    const result = await recheck(deps, { id: pull.id, repo }, pull)
    if (result !== undefined) checks.set(pull.id, result)
  }
  return checks
}

async function updateMergeRefOf(deps: SyncDeps, pull: Pull, checked: CheckedTree | undefined): Promise<void> {
  const location = await findLocation(deps, pull)
  if (location !== undefined) await updateMergeRef(deps, location, { makes: false, checked })
}

/**
 * Retargets pull requests into a deleted branch to the base of the pull request that was merged from it, otherwise to
 * the default branch. Closes the pull request where an equal one is open, and where retargeting is off.
 */
async function replaceBase(
  deps: SyncDeps,
  actor: Actor,
  { repo, branch, refs }: BranchState,
  pull: Pull,
): Promise<void> {
  const { database, git, retargets } = deps
  const merged = await findMergedBase(database.read, { repoId: repo.id, branch })
  const name = [merged, repo.defaultBranch].find((candidate) => candidate && refs.get(branchRef(candidate)))
  if (!retargets || name === undefined) return closePull(deps, actor, pull, branch)
  const base = await prepareBase(git.open(repo), pull, { branch: name, oid: refs.get(branchRef(name))!.oid })
  await changePull(deps, actor, { repo, pull }, async (change) => {
    const { isAgit, headOid, headRepoId, headBranch, baseRepoId, baseBranch } = change.pull
    if (change.issue.isClosed || baseBranch !== branch) return
    if (headOid !== base.check.headOid) throw errors.headMoved()
    await issueQueries.lockNumbers(change.tx, baseRepoId)
    const target = { isAgit, headRepoId: headRepoId!, headBranch, baseRepoId, baseBranch: name }
    if (headRepoId === undefined || (await findOpenDuplicate(change.tx, target))) return closeInChange(change)
    await setBase(change, { ...base, isAutomatic: true })
  })
  await syncMoved(deps, actor, [{ repo, name, oid: base.check.baseOid }])
}

export type SyncMovedDeps = Pick<Core, 'database' | 'git' | 'jobs'>

interface SyncedBranch extends BranchOf {
  /** The last pull request into the branch that is already updated. */
  readonly afterId?: PullId
}

/** Enqueues the job that updates the pull requests from and into a branch. */
export function enqueueSync(
  tx: Tx,
  jobs: Jobs,
  { repoId, branch, afterId }: SyncedBranch,
  actorId: number,
): Promise<void> {
  const job = { repo_id: repoId, branch, actor_id: actorId, ...(afterId && { after_id: afterId }) }
  return jobs.enqueue(tx, 'pulls.sync_branch', job, { key: `${repoId} ${branch}${afterId ? ` ${afterId}` : ''}` })
}

/**
 * Call after a row that was written for these tips is committed. The job of a push between reading the tip and the
 * commit has not seen the row.
 */
export async function syncMoved(
  { database, git, jobs }: SyncMovedDeps,
  actor: Actor,
  seen: readonly Branch[],
): Promise<void> {
  const tips = await Promise.all(
    seen.map(async ({ repo, name }) => (await git.open(repo).refs.snapshot()).get(branchRef(name))?.oid),
  )
  const moved = seen.filter(({ oid }, index) => tips[index] !== oid)
  if (moved.length === 0) return
  await database.transaction(async (tx) => {
    for (const { repo, name } of moved) await enqueueSync(tx, jobs, { repoId: repo.id, branch: name }, actor.account.id)
  })
}

const BRANCH = 'refs/heads/'
/** A branch may be the head of several pull requests, and a push may move many branches: a job updates the others. */
const MAX_AT_ONCE = 5

/**
 * Updates the open pull requests from pushed branches, because clients read them, and fetch their refs, right after
 * their push. Moves all head refs in the same repository, and updates the oldest five pull requests completely. The job
 * of this push retries failures, for example when the job of an earlier push is running. One query where there are no
 * pull requests.
 */
export async function syncPushedPulls(deps: HeadDeps, { repo, actor, changes }: RecordedPush): Promise<void> {
  const moved = new Map(
    changes.flatMap(({ ref, newOid }) => (ref.startsWith(BRANCH) ? [[ref.slice(BRANCH.length), newOid]] : [])),
  )
  const pulls = await listPushedPulls(deps.database.read, repo.id, [...moved.keys()])
  if (pulls.length === 0) return
  const leaveToJob =
    (what: object) =>
    (error: unknown): void =>
      deps.log.warn({ err: error, ...what }, 'failed to update a pull request right after a push; a job will retry')
  await moveHeadRefs(deps, repo, moved, pulls).catch(leaveToJob({ repo: repo.id }))
  for (const pushed of pulls.slice(0, MAX_AT_ONCE))
    await syncPull(deps, actor, pushed).catch(leaveToJob({ pull: pushed.id }))
}

/** Moves the refs of pull requests within the repository, which has the objects; one git process for all. */
async function moveHeadRefs(
  { git }: Pick<HeadDeps, 'git'>,
  repo: Repo,
  moved: ReadonlyMap<string, string>,
  pulls: readonly PushedPull[],
): Promise<void> {
  const own = pulls.filter(({ baseRepoId, branch }) => baseRepoId === repo.id && !isZeroOid(moved.get(branch)!))
  if (own.length === 0) return
  const { refs, zeroOid } = git.open(repo)
  const snapshot = await refs.snapshot()
  await refs.update(
    own.map(({ number, branch }) => {
      const ref = pullHeadRef(number)
      return { ref, old: snapshot.get(ref)?.oid ?? zeroOid, new: moved.get(branch)! }
    }),
  )
}

/** Closes the pull request when its branch was deleted. */
async function syncPull(deps: HeadDeps, actor: Actor, { id, branch }: PushedPull): Promise<void> {
  const pull = await findPull(deps.database.read, id)
  const location = pull && (await findLocation(deps, pull))
  if (location === undefined) return
  if ((await findHeadTip(deps, pull!, location)) === undefined) return closePull(deps, actor, pull!, branch)
  await syncHead(deps, actor, location, (current) => findHeadTip(deps, current, location))
}
