import type { Actor } from '../../../../core/access/viewer.ts'
import { branchRef, type GitRepo, RefConflictError } from '../../../../core/git/index.ts'
import type { KeyedMutex } from '../../../../core/platform/concurrency/lock-table.ts'
import { conflict } from '../../../../core/platform/errors.ts'
import { type Repo, repoQueries } from '../../../repositories/index.ts'
import { copyHeadObjects } from '../heads.ts'
import { checkColumns, checkMerge } from '../mergeability/merge-ref.ts'
import { pullHeadRef } from '../pull.policy.ts'
import { findPull, type Pull, updatePull } from '../records/pull.store.ts'
import { changePull, type LifecycleDeps, type PullChange, pullPayload, type PullLocation } from './pull-change.ts'
import { type IssueChange, timelineQueries } from '../../../issues/index.ts'

/** The maximum number of commits that an entry names, newest first. */
const MAX_COMMITS = 1000

/** The ids of the commits that `oid` reaches and `not` does not, oldest first; at most the newest 1,000. */
export async function listPushedCommits(git: GitRepo, oid: string, not: readonly string[]): Promise<string[]> {
  const commits = await git.history.list({ tip: oid, not }, { skip: 0, limit: MAX_COMMITS })
  return commits.map((commit) => commit.oid).reverse()
}

interface PushBody {
  readonly is_force_push: boolean
  readonly commit_ids: readonly string[]
}

/** The body of the entry of a push. */
export const pushText = (commitIds: readonly string[], isForcePush = false): string =>
  JSON.stringify({ is_force_push: isForcePush, commit_ids: commitIds } satisfies PushBody)

/** Adds the entry of a push to the timeline, unless it has no commits (behaviour/pull-requests#branch-lifecycle). */
export async function recordPushEntry(
  { tx, issue, actor, at }: IssueChange,
  commitIds: readonly string[],
): Promise<void> {
  if (commitIds.length === 0) return
  await timelineQueries.record(
    tx,
    { issue, actorId: actor.account.id, at },
    { kind: 'pull_push', body: pushText(commitIds) },
  )
}

async function recordForcePush(
  { tx, issue, actor, at }: IssueChange,
  { oldOid, newOid }: { readonly oldOid: string; readonly newOid: string },
): Promise<void> {
  const body = pushText([oldOid, newOid], true)
  await timelineQueries.record(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_push', body })
}

/**
 * Removes commits that the pull request no longer has from the entries of its pushes, and deletes entries without
 * commits. Returns the commits that no entry names.
 */
export async function retainPushedCommits(
  { tx, issue }: Pick<IssueChange, 'tx' | 'issue'>,
  commitIds: readonly string[],
): Promise<string[]> {
  const current = new Set(commitIds)
  const named = new Set<string>()
  for (const entry of await timelineQueries.listOfKind(tx, issue.id, 'pull_push')) {
    const { is_force_push: isForcePush, commit_ids: before } = JSON.parse(entry.body) as PushBody
    if (isForcePush) continue
    const kept = before.filter((oid) => current.has(oid))
    for (const oid of kept) named.add(oid)
    if (kept.length === 0) await timelineQueries.delete(tx, entry.id)
    else if (kept.length < before.length)
      await timelineQueries.update(tx, entry.id, { body: pushText(kept), updated_at: entry.updatedAt })
  }
  return commitIds.filter((oid) => !named.has(oid))
}

/** The head and the base may change while a move is prepared. */
const MAX_ROUNDS = 5

export interface HeadDeps extends LifecycleDeps {
  /**
   * Locks of pull requests: a push and the job of its event update the head at the same time, and the second one waits.
   */
  readonly heads: KeyedMutex
}

type TipOf = (pull: Pull) => Promise<string | undefined>

/**
 * Updates an open pull request to the commit that `tipOf` returns, which is called again until the row has that commit,
 * since pushes may come in between. Undefined leaves the pull request unchanged.
 */
export const syncHead = (deps: HeadDeps, actor: Actor, location: PullLocation, tipOf: TipOf): Promise<void> =>
  deps.heads.run(String(location.id), () => syncUntilCurrent(deps, actor, location, tipOf))

async function syncUntilCurrent(
  deps: LifecycleDeps,
  actor: Actor,
  location: PullLocation,
  tipOf: TipOf,
): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const pull = await findPull(deps.database.read, location.id)
    const oid = pull && !pull.isClosed ? await tipOf(pull) : undefined
    if (pull === undefined || oid === undefined) return
    if ((await moveHead(deps, actor, { pull, location, newOid: oid })) === 'same') return
  }
  throw conflict('the head of the pull request moves all the time')
}

type Outcome = 'same' | 'moved' | 'closed' | 'overtaken'

interface Move {
  readonly pull: Pull
  readonly location: PullLocation
  readonly newOid: string
}

/**
 * Copies the objects into the base repository, moves `refs/pull/{number}/head`, and adds the push to the timeline
 * (behaviour/pull-requests#branch-lifecycle). Safe to run again after a crash at any step. At most five git processes.
 */
async function moveHead(deps: LifecycleDeps, actor: Actor, { pull, location, newOid }: Move): Promise<Outcome> {
  const { repo, number } = location
  const git = deps.git.open(repo)
  const ref = pullHeadRef(number)
  return git.writing(async () => {
    const refOid = (await git.refs.snapshot()).get(ref)?.oid
    if (refOid !== newOid) {
      await copyHead(deps, { pull, repo, oid: newOid })
      try {
        await git.refs.update([{ ref, old: refOid ?? git.zeroOid, new: newOid }])
      } catch (error) {
        // NOTE: a push moves the refs of its pull requests itself, shortly before or after this.
        if (error instanceof RefConflictError) return 'overtaken'
        throw error
      }
    }
    if (pull.headOid === newOid) return refOid === newOid ? 'same' : 'moved'
    const outcome = await recordHead(deps, actor, { pull, repo, git, newOid })
    if (outcome === 'closed') await restoreHeadRef(deps, location)
    return outcome
  })
}

interface Heading {
  readonly pull: Pull
  readonly repo: Repo
  readonly oid: string
}

async function copyHead({ database, git }: LifecycleDeps, { pull, repo, oid }: Heading): Promise<void> {
  if (pull.headRepoId === undefined || pull.headRepoId === repo.id) return
  const from = await repoQueries.findById(database.read, pull.headRepoId)
  if (from !== undefined) await copyHeadObjects(git, { from, to: repo, oid, known: pull.headOid })
}

interface Moving {
  readonly pull: Pull
  readonly repo: Repo
  readonly git: GitRepo
  readonly newOid: string
}

async function recordHead(deps: LifecycleDeps, actor: Actor, { pull, repo, git, newOid }: Moving): Promise<Outcome> {
  const oldOid = pull.headOid
  const isForcePush = !(await isFastForward(git, oldOid, newOid))
  const baseOid = await tipOfBase(git, pull)
  const check = await checkMerge(git, baseOid, newOid)
  const commits = await listPushedCommits(git, newOid, isForcePush ? [check.mergeBase] : [oldOid, baseOid])
  const outcome = await changePull(deps, actor, { repo, pull }, async (change): Promise<Outcome> => {
    if (change.issue.isClosed) return 'closed'
    // NOTE: another process was faster, or the base changed.
    if (change.pull.headOid !== oldOid || change.pull.baseBranch !== pull.baseBranch) return 'overtaken'
    await updatePull(change.tx, pull.id, {
      head_oid: newOid,
      merge_base: check.mergeBase,
      ...checkColumns(check),
    })
    await recordPush(change, { commits, oldOid, newOid, isForcePush })
    await deps.events.append(
      change.tx,
      'pull.synchronized',
      { actor, repoId: repo.id, at: change.at, entities: { repo, issue: change.issue } },
      { ...pullPayload(change), old_oid: oldOid, new_oid: newOid, is_force_push: isForcePush },
    )
    return 'moved'
  })
  return outcome ?? 'closed'
}

interface Push {
  readonly commits: readonly string[]
  readonly oldOid: string
  readonly newOid: string
  readonly isForcePush: boolean
}

async function recordPush(change: PullChange, { commits, oldOid, newOid, isForcePush }: Push): Promise<void> {
  if (!isForcePush) return recordPushEntry(change, commits)
  await recordPushEntry(change, await retainPushedCommits(change, commits))
  await recordForcePush(change, { oldOid, newOid })
}

/** Also false when the repository has lost the old head. */
async function isFastForward(git: GitRepo, oldOid: string, newOid: string): Promise<boolean> {
  if ((await git.objects.findInfo(oldOid)) === undefined) return false
  return git.history.isAncestor(oldOid, newOid)
}

/** The tip of the base branch; the merge base when the branch was deleted. */
export async function tipOfBase(git: GitRepo, { baseBranch, mergeBase }: Pull): Promise<string> {
  return (await git.refs.snapshot()).get(branchRef(baseBranch))?.oid ?? mergeBase
}

/**
 * Points `refs/pull/{number}/head` to the head in the row, or deletes it when the pull request was deleted. False when
 * the repository lacks that head. Throws RefConflictError when the ref moves at the same time.
 */
export async function restoreHeadRef(
  { database, git }: Pick<LifecycleDeps, 'database' | 'git'>,
  { id, repo, number }: PullLocation,
): Promise<boolean> {
  const opened = git.open(repo)
  const ref = pullHeadRef(number)
  const old = (await opened.refs.snapshot()).get(ref)?.oid ?? opened.zeroOid
  const wanted = (await findPull(database.read, id))?.headOid ?? opened.zeroOid
  if (old === wanted) return true
  if (wanted !== opened.zeroOid && (await opened.objects.findInfo(wanted)) === undefined) return false
  await opened.refs.update([{ ref, old, new: wanted }])
  return true
}
