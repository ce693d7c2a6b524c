import type { Core, Services } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  branchRef,
  findCommitOid,
  type GitRepo,
  isNewRefName,
  RefConflictError,
  retryMoved,
  tagRef,
  type Git,
  hasBranches,
} from '../../../../core/git/index.ts'
import { conflict, engineErrors, forbidden, invalid, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { PushRefusedError, type Pushes } from '../../pushes/pushes.service.ts'
import type { RefChange } from '../../pushes/record-push.ts'
import type { Repo, RepoInView } from '../../../repositories/index.ts'
import { isRepoAdmin } from '../../../../core/access/repo-access.ts'
import type { Database, Tx } from '../../../../core/db/database.ts'
import { isGlob } from '../../../../core/platform/patterns/glob.ts'
import { canPush, findOwnRule } from '../../protections/branches/branch-rules.policy.ts'
import { loadBranchRules } from '../../protections/facts.ts'
import { renameBranchRule } from '../../protections/branches/branch-rule.store.ts'
import { rightsFor } from '../../protections/push-rules.policy.ts'
import { recordBranchRename } from '../../pushes/renamed-branch.store.ts'

/** The start of a branch: any ref, otherwise a branch, otherwise the default branch. */
interface BranchStart {
  readonly ref?: string | undefined
  readonly branch?: string | undefined
}

interface BranchMove {
  readonly to: string
  /** The expected current commit of the branch. */
  readonly from?: string | undefined
  /** Allows the branch to lose commits. */
  readonly force?: boolean | undefined
}

interface BranchWriteDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly pushes: Pushes
  readonly quota: Pick<Services['quota'], 'require'>
}

export type BranchWrites = ReturnType<typeof createBranchWrites>

/**
 * Creates, deletes, renames and updates branches. Throws the errors of the API
 * (behaviour/git-data-and-transport#branches).
 */
export function createBranchWrites({ database, git, clock, events, pushes, quota }: BranchWriteDeps) {
  const write = (actor: SignedIn, target: RepoInView, change: RefChange): Promise<void> =>
    git.open(target.repo).writing(() => pushes.push(actor, target, [change], { quota: 'size:git:all' }))

  return {
    async create(actor: SignedIn, target: RepoInView, name: string, start: BranchStart): Promise<void> {
      const opened = await openNonEmpty(git, target.repo)
      if (!isNewRefName(name)) throw engineErrors.fieldNotRefName('BranchName')
      const newOid = await startOid(opened, target.repo, start)
      const snapshot = await opened.refs.snapshot()
      if (snapshot.get(branchRef(name))) throw errors.branchExists()
      if (snapshot.get(tagRef(name))) throw conflict('The branch with the same tag already exists.')
      try {
        await write(actor, target, { ref: branchRef(name), oldOid: opened.zeroOid, newOid })
      } catch (error) {
        if (!(error instanceof RefConflictError)) throw error
        throw error.reason === 'name-clash' ? errors.branchNameClash() : errors.branchExists()
      }
    },
    async delete(actor: SignedIn, target: RepoInView, name: string): Promise<void> {
      const opened = await openNonEmpty(git, target.repo)
      await onNewestTip(async () => {
        const oldOid = await tipOf(opened, name)
        if (name === target.repo.defaultBranch) throw forbidden('can not delete default or pull request target branch')
        try {
          await write(actor, target, { ref: branchRef(name), oldOid, newOid: opened.zeroOid })
        } catch (error) {
          throw error instanceof PushRefusedError && error.refusal.reason === 'deletion'
            ? errors.branchProtected()
            : error
        }
      })
    },
    /**
     * Renames the branch, and with it the default branch, HEAD and the rule with the old name. Files remain readable by
     * the old name.
     */
    rename: (actor: SignedIn, target: RepoInView, from: string, to: string): Promise<void> =>
      onNewestTip(() => renameBranch({ database, git, clock, events, pushes, quota }, actor, target, { from, to })),
    async move(actor: SignedIn, target: RepoInView, name: string, { to, from, force }: BranchMove): Promise<void> {
      const opened = await openNonEmpty(git, target.repo)
      await onNewestTip(async () => {
        const oldOid = await tipOf(opened, name)
        if (from && from !== oldOid) throw invalid(`branch commit does not match [expected: ${from}, given: ${oldOid}]`)
        const newOid = await findCommitOid(opened, to)
        if (newOid === undefined) throw errors.commitNotFound(to)
        if (newOid === oldOid) return
        if (!force && !(await opened.history.isAncestor(oldOid, newOid)))
          throw invalid(`Force push ${name} need a confirm force parameter`)
        await write(actor, target, { ref: branchRef(name), oldOid, newOid })
      })
    },
  }
}

const MAX_ATTEMPTS = 20

/** If the branch changes during the task, the task runs again on the newest tip. */
const onNewestTip = (task: () => Promise<void>): Promise<void> => retryMoved(MAX_ATTEMPTS, task)

async function startOid(git: GitRepo, repo: Repo, { ref, branch }: BranchStart): Promise<string> {
  if (!ref) return tipOf(git, branch || repo.defaultBranch, 'The old branch does not exist')
  const oid = await findCommitOid(git, ref)
  if (oid === undefined) throw notFound(`ref does not exist: ${ref}`)
  return oid
}

interface RenameDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly pushes: Pick<Pushes, 'moveRefs'>
  readonly quota: Pick<Services['quota'], 'require'>
}

/** Updates the ref, then updates the default branch and the rule and records the old name in one transaction. */
async function renameBranch(
  { database, git, clock, events, pushes, quota }: RenameDeps,
  actor: SignedIn,
  target: RepoInView,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const opened = await openNonEmpty(git, target.repo)
  const oid = await tipOf(opened, from)
  if (!isNewRefName(to)) throw engineErrors.fieldNotRefName('Name')
  const isDefault = from === target.repo.defaultBranch
  await requireRenamable(database, actor, target, { from, to, isDefault })
  if ((await opened.refs.snapshot()).get(branchRef(to))) throw errors.branchRenameTaken()
  const changes = [
    { ref: branchRef(from), oldOid: oid, newOid: opened.zeroOid },
    { ref: branchRef(to), oldOid: opened.zeroOid, newOid: oid },
  ]
  await quota.require(target.repo.owner, 'size:git:all')
  const repoId = target.repo.id
  const inTransaction = async (tx: Tx): Promise<void> => {
    await renameBranchRule(tx, repoId, from, to)
    const at = clock.now()
    await recordBranchRename(tx, { repoId, from, to, at })
    await events.append(tx, 'branch.renamed', { actor, repoId, at }, { repo_id: repoId, from, to })
  }
  const moves = { changes, defaultBranch: isDefault ? to : undefined, inTransaction }
  try {
    await opened.writing(() => pushes.moveRefs(actor, target.repo, moves))
  } catch (error) {
    throw error instanceof RefConflictError && (error.reason === 'name-clash' || error.reason === 'exists')
      ? errors.branchRenameTaken()
      : error
  }
}

interface Renaming {
  readonly from: string
  readonly to: string
  readonly isDefault: boolean
}

/**
 * Throws Forbidden (behaviour/git-data-and-transport#branches): renames have their own rules, separate from those of
 * pushes.
 */
async function requireRenamable(
  { read }: Database,
  actor: SignedIn,
  { repo, access }: RepoInView,
  { from, to, isDefault }: Renaming,
): Promise<void> {
  const branchRules = await loadBranchRules(read, repo, actor)
  const hasOwnRule = findOwnRule(branchRules.rules, from) !== undefined
  if ((isDefault || hasOwnRule) && !isRepoAdmin(access))
    throw forbidden('User must be a repo or site admin to rename default or protected branches.')
  const [old, next] = [await branchRules.ruleOf(from), await branchRules.ruleOf(to)]
  const isDeployKey = actor.deployKeyId !== undefined
  const leavesGlob = old !== undefined && isGlob(old.name) && !hasOwnRule
  if (leavesGlob || (next && !canPush(next, rightsFor(next, { access, isDeployKey, branchRules }))))
    throw forbidden('Failed to rename branch due to branch protection rules.')
}

/** Opens a repository for a change of its branches. Throws NotFound if it is empty, Forbidden if it is a mirror. */
async function openNonEmpty(git: Git, repo: Repo): Promise<GitRepo> {
  const opened = git.open(repo)
  if (!(await hasBranches(opened))) throw notFound('Git Repository is empty.')
  if (repo.isMirror) throw forbidden('Git Repository is a mirror.')
  return opened
}

/** The commit of a branch. Throws NotFound with the text `missing` if the branch does not exist. */
async function tipOf(git: GitRepo, name: string, missing = "Branch doesn't exist."): Promise<string> {
  const oid = (await git.refs.snapshot()).get(branchRef(name))?.oid
  if (oid === undefined) throw notFound(missing)
  return oid
}
