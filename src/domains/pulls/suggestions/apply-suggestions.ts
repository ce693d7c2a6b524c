import type { Core, Services } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { branchRef, type GitRepo, RefConflictError } from '../../../core/git/index.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import { PushRefusedError, fromRefusal } from '../../code/index.ts'
import { findPusher } from '../merges/update-head.ts'
import { renewRights } from '../merges/renew-rights.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { type Repo, type Writer, repoQueries } from '../../repositories/index.ts'
import { resolveComments } from '../reviews/records/records.store.ts'
import { type CommitDeps, commitSuggestions, loadSuggestions, type WantedSuggestion } from './commit-suggestions.ts'
import type { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import type { RepoId, UserId } from '../../../core/platform/crypto/ids.ts'

export interface SuggestionRequest {
  /** At least one; each comment only once. */
  readonly comments: readonly WantedSuggestion[]
  /** Empty for the default message. */
  readonly message: string
  /** The expected tip of the head branch; empty for any. */
  readonly headOid: string
}

export interface ApplyDeps extends Pick<Core, 'clock' | 'jobs'>, CommitDeps, ResumeDeps {
  readonly pushes: Pick<Services['pushes'], 'push'>
}

interface Head {
  readonly repo: Repo
  readonly branch: string
  readonly tip: string
}

/**
 * Commits the suggestions of comments to the head branch as the actor, and resolves the comments
 * (behaviour/pull-requests#suggestions). Throws Conflict when the branch is not at the expected commit or moves during
 * the call, and for resolved comments; Invalid for suggestions that cannot be applied; Forbidden when the permissions
 * or the protection refuse it.
 */
export async function applySuggestions(
  deps: ApplyDeps,
  actor: SignedIn,
  target: PullInView,
  order: SuggestionRequest,
): Promise<{ readonly head: Repo; readonly oid: string }> {
  const { read } = deps.database
  const head = await findHead(deps, target)
  await requirePusher(read, actor, { target, head: head.repo })
  if (order.headOid !== '' && order.headOid !== head.tip) throw outOfDate()
  // NOTE: the tip is read before the wait, so of two calls at once the second one gets the conflict.
  return deps.locks.run(headKey(head.repo.id, head.branch), async () => {
    const renewed = await renewRights(read, actor, target)
    const pusher = await requirePusher(read, renewed.actor, { target: renewed.target, head: head.repo })
    const git = deps.git.open(head.repo)
    const suggestions = await loadSuggestions(read, actor, target.issue, { git, tip: head.tip, wanted: order.comments })
    const oid = await git.writing(async () => {
      const commit = { git, tip: head.tip, suggestions, message: order.message }
      const newOid = await commitSuggestions({ ...deps, read }, actor, commit)
      await moveHead(deps, actor, { head, pusher, newOid, commentIds: suggestions.map(({ entry }) => entry.id) })
      return newOid
    })
    return { head: head.repo, oid }
  })
}

/** Throws Forbidden when neither the actor nor the pull request's setting allows a push to the head. */
async function requirePusher(...args: Parameters<typeof findPusher>): Promise<Writer> {
  const pusher = await findPusher(...args)
  if (pusher === undefined) throw forbidden('user should have a permission to write to the head branch')
  return pusher
}

const outOfDate = (): Error => errors.headOutOfDate()

async function findHead({ database, git }: ApplyDeps, { issue, pull }: PullInView): Promise<Head> {
  if (issue.isClosed) throw errors.pullClosed()
  const repo = pull.headRepoId && (await repoQueries.findById(database.read, pull.headRepoId))
  if (repo === undefined || pull.isAgit) throw errors.pullHeadMissing()
  if (repo.isArchived) throw errors.repoArchived(repo.fullName)
  const tip = await tipOf(git.open(repo), pull.headBranch)
  if (tip === undefined) throw errors.pullBranchMissing(pull.headBranch)
  return { repo, branch: pull.headBranch, tip }
}

const tipOf = async (git: GitRepo, branch: string): Promise<string | undefined> =>
  (await git.refs.snapshot()).get(branchRef(branch))?.oid

interface HeadMove {
  readonly head: Head
  readonly pusher: Writer
  readonly newOid: string
  readonly commentIds: readonly number[]
}

async function moveHead(
  { database, jobs, pushes }: ApplyDeps,
  actor: SignedIn,
  { head: { repo, branch, tip }, pusher: { viewer, access }, newOid, commentIds }: HeadMove,
): Promise<void> {
  const applied = { repo_id: repo.id, branch, oid: newOid, comment_ids: [...commentIds], user_id: actor.account.id }
  const key = resumeKey(repo.id, newOid)
  // NOTE: if the process ends between the move of the ref and its record, this job resolves the comments.
  await database.transaction((tx) => jobs.enqueue(tx, 'suggestions.recover', applied, { key, delay: RESUME_DELAY_MS }))
  try {
    await pushes.push(actor, { repo, access }, [{ ref: branchRef(branch), oldOid: tip, newOid }], {
      pusher: viewer,
      inTransaction: async (tx) => {
        await resolveComments(tx, commentIds, actor.account.id)
        await jobs.cancel(tx, 'suggestions.recover', key)
      },
    })
  } catch (error) {
    if (error instanceof RefConflictError) throw outOfDate()
    throw error instanceof PushRefusedError ? fromRefusal(error, actor) : error
  }
}

export interface ResumeDeps extends Pick<Core, 'database' | 'git'> {
  /** Locks of head branches: suggestions are applied to a branch one call at a time. */
  readonly locks: KeyedMutex
}

interface Applied {
  readonly repoId: RepoId
  readonly branch: string
  readonly oid: string
  readonly commentIds: readonly number[]
  readonly userId: UserId
}

/** The job waits for the lock of the branch if a call takes longer. */
const RESUME_DELAY_MS = 3000

const headKey = (repoId: RepoId, branch: string): string => `${repoId} ${branch}`
const resumeKey = (repoId: RepoId, oid: string): string => `${repoId} ${oid}`

/** Resolves the comments when the branch contains the commit; otherwise the suggestions were never applied. */
export async function resumeApplied(
  { database, git, locks }: ResumeDeps,
  { repoId, branch, oid, commentIds, userId }: Applied,
): Promise<void> {
  await locks.run(headKey(repoId, branch), async () => {
    const repo = await repoQueries.findById(database.read, repoId)
    if (repo === undefined) return
    const { refs, objects, history } = git.open(repo)
    const tip = (await refs.snapshot()).get(branchRef(branch))?.oid
    if (tip === undefined || (await objects.findInfo(oid)) === undefined) return
    if (!(await history.isAncestor(oid, tip))) return
    await database.transaction((tx) => resolveComments(tx, commentIds, userId))
  })
}
