import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { branchRef, copyObjects, type GitRepo, RefConflictError } from '../../../core/git/index.ts'
import { forbidden, invalid } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { PullInView } from '../pulls/pull-in-view.ts'
import { PushRefusedError } from '../../code/index.ts'
import {
  type Repo,
  type Writer,
  parseRepoSettings,
  accessQueries,
  repoQueries,
  gitWriter,
} from '../../repositories/index.ts'
import { userQueries } from '../../accounts/index.ts'
import { outOfDate } from './merge-errors.ts'
import { committerOf } from './messages/merge-commit.ts'
import type { MergeDeps } from './merge-steps.ts'
import { loadMergeRights } from './rules/load-merge-facts.ts'

export type UpdateStyle = 'merge' | 'rebase'

/**
 * Updates the head branch of a pull request from its base, by a merge commit or by rebasing the head, and returns its
 * new commit; without a style, by the default of the repository (behaviour/pull-requests#diff-commits-files-update).
 * Throws Invalid when it cannot be updated, Forbidden
 * without the right to push, Conflict for conflicts.
 */
export async function updateHead(
  deps: MergeDeps,
  actor: SignedIn,
  target: PullInView,
  given: UpdateStyle | undefined,
): Promise<string> {
  const { repo, pull, issue } = target
  const { read } = deps.database
  if (issue.isClosed) throw errors.pullClosed()
  const head = pull.headRepoId && (await repoQueries.findById(read, pull.headRepoId))
  if (head === undefined || pull.isAgit) throw errors.pullHeadMissing()
  const { allowMergeUpdate, allowRebaseUpdate, defaultUpdateStyle } = parseRepoSettings(repo.settings).pulls
  const style = given ?? defaultUpdateStyle
  const isAllowed = style === 'merge' ? allowMergeUpdate : allowRebaseUpdate
  const pusher = isAllowed ? await findPusher(read, actor, { target, head }) : undefined
  if (pusher === undefined) throw forbidden('')
  const [baseOid, headOid] = await Promise.all([
    tipOf(deps.git.open(repo), pull.baseBranch),
    tipOf(deps.git.open(head), pull.headBranch),
  ])
  const git = deps.git.open(head)
  return git.writing(async () => {
    if (head.id !== repo.id)
      await copyObjects(deps.git.open(repo), git, { wants: [baseOid], haves: [pull.headOid, pull.mergeBase] })
    const newOid = await buildUpdate(deps, actor, { target, git, baseOid, headOid, style })
    await moveHead(deps, actor, { head, pusher, branch: pull.headBranch, oldOid: headOid, newOid })
    return newOid
  })
}

async function tipOf(git: GitRepo, branch: string): Promise<string> {
  const oid = (await git.refs.snapshot()).get(branchRef(branch))?.oid
  if (oid === undefined) throw errors.pullBranchMissing(branch)
  return oid
}

interface Update {
  readonly target: PullInView
  /** The repository of the head. */
  readonly git: GitRepo
  readonly baseOid: string
  readonly headOid: string
  readonly style: UpdateStyle
}

/** The commit that the head moves to. */
async function buildUpdate(
  deps: MergeDeps,
  actor: SignedIn,
  { target, git, baseOid, headOid, style }: Update,
): Promise<string> {
  const { baseBranch, headBranch } = target.pull
  if (await git.history.isAncestor(baseOid, headOid)) throw invalid('the head is up to date')
  const { signer } = deps
  const committer = committerOf(deps, await userQueries.findById(deps.read, actor.account.id), deps.clock.now())
  const made = { author: committer, committer, message: `Merge branch '${baseBranch}' into ${headBranch}\n` }
  const sides = style === 'merge' ? { base: headOid, head: baseOid } : { base: baseOid, head: headOid }
  const outcome = await git.merges.build({
    style,
    ...sides,
    commit: (writer, tree) => gitWriter.writeCommit(writer, { ...tree, ...made }, signer),
    replaying: {
      committer: signer ? { ...committer, name: signer.name, email: signer.email } : committer,
      ...(signer && { sign: (payload: Buffer) => signer.sign(payload) }),
    },
  })
  if (outcome.kind === 'built') return outcome.commit
  if (outcome.kind === 'nothing') return baseOid
  if (outcome.kind === 'too-many') throw errors.rebaseTooLong(outcome.limit)
  throw errors.mergeConflict(style)
}

interface HeadMove {
  readonly head: Repo
  readonly pusher: Writer
  readonly branch: string
  readonly oldOid: string
  readonly newOid: string
}

async function moveHead(
  { pushes }: MergeDeps,
  actor: SignedIn,
  { head, pusher: { viewer, access }, branch, oldOid, newOid }: HeadMove,
): Promise<void> {
  const change = { ref: branchRef(branch), oldOid, newOid }
  try {
    await pushes.push(actor, { repo: head, access }, [change], { pusher: viewer })
  } catch (error) {
    if (error instanceof RefConflictError) throw outOfDate()
    if (error instanceof PushRefusedError) throw forbidden('')
    throw error
  }
}

/**
 * The account whose right is used to write the head branch of a pull request: the actor, or else the author of the pull
 * request, who can allow maintainers to edit (behaviour/pull-requests#diff-commits-files-update). Undefined when
 * neither may write. The rules of the branch are checked when it moves.
 */
export async function findPusher(
  read: Db,
  actor: SignedIn,
  { target, head }: { readonly target: PullInView; readonly head: Repo },
): Promise<Writer | undefined> {
  const own = await accessQueries.findWriter(read, actor, head)
  if (own !== undefined) return own
  if (!target.pull.allowsMaintainerEdit || !(await loadMergeRights(read, actor, target)).mayMerge) return undefined
  return accessQueries.findDelegate(read, actor, { base: target.repo, head, authorId: target.issue.authorId })
}
