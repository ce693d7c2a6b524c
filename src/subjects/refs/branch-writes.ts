import { isRepoAdmin } from '../../access/repo-access.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import { branchRef, type Git, type GitRepo, isValidBranchName, RefConflictError, tagRef } from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { conflict, forbidden, invalid, invalidField, notFound } from '../../platform/errors.ts'
import { isGlob } from '../../platform/patterns/glob.ts'
import { renameBranchRule } from '../protections/branch-rule.store.ts'
import { canPush } from '../protections/branch-rules.policy.ts'
import { loadBranchRules } from '../protections/facts.ts'
import { rightsFor, ruleFor } from '../protections/push-rules.policy.ts'
import { type MoveOptions, type Pushes, PushRefusedError } from '../pushes/accept-push.ts'
import type { RefChange } from '../pushes/record-push.ts'
import { recordBranchRename } from '../pushes/renamed-branch.store.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repo } from '../repos/repo.store.ts'
import { findCommitOid } from '../verification/target.ts'

/** Any ref, else a branch, else the default branch. */
export interface BranchStart {
  readonly ref?: string | undefined
  readonly branch?: string | undefined
}

export interface BranchMove {
  readonly to: string
  /** Where the branch must be now. */
  readonly from?: string | undefined
  /** Lets commits be left behind. */
  readonly force?: boolean | undefined
}

/** Every refusal is one of reference git-data §2. */
export interface BranchWrites {
  create(viewer: Viewer, target: RepoInView, name: string, start: BranchStart): Promise<void>
  remove(viewer: Viewer, target: RepoInView, name: string): Promise<void>
  /**
   * The default branch and HEAD follow, and so does a rule of exactly the old name; files are still found by the old
   * name.
   */
  rename(viewer: Viewer, target: RepoInView, from: string, to: string): Promise<void>
  move(viewer: Viewer, target: RepoInView, name: string, move: BranchMove): Promise<void>
}

export function createBranchWrites({
  database,
  git,
  clock,
  pushes,
}: {
  database: Database
  git: Git
  clock: Clock
  pushes: Pushes
}): BranchWrites {
  async function write(
    viewer: Viewer,
    target: RepoInView,
    changes: readonly RefChange[],
    options: MoveOptions = {},
  ): Promise<void> {
    await git
      .open(target.repo)
      .writing(() => pushes.move(viewer, target, changes, { charged: 'size:git:all', ...options }))
  }

  return {
    async create(viewer, target, name, start) {
      const opened = await openFilled(git, target.repo)
      if (!isValidBranchName(name)) throw invalidField('BranchName', 'GitRefName')
      const newOid = await startOid(opened, target.repo, start)
      const snapshot = await opened.refs.snapshot()
      if (snapshot.get(branchRef(name))) throw conflict('The branch already exists.')
      if (snapshot.get(tagRef(name))) throw conflict('The branch with the same tag already exists.')
      try {
        await write(viewer, target, [{ ref: branchRef(name), oldOid: opened.zeroOid, newOid }])
      } catch (error) {
        if (!(error instanceof RefConflictError)) throw error
        throw conflict(
          error.reason === 'name-clash'
            ? 'The branch with the same name already exists.'
            : 'The branch already exists.',
        )
      }
    },
    async remove(viewer, target, name) {
      const opened = await openFilled(git, target.repo)
      const oldOid = await tipOf(opened, name)
      if (name === target.repo.defaultBranch) throw forbidden('can not delete default or pull request target branch')
      try {
        await write(viewer, target, [{ ref: branchRef(name), oldOid, newOid: opened.zeroOid }])
      } catch (error) {
        throw error instanceof PushRefusedError && error.refusal.reason === 'deletion'
          ? forbidden('branch protected')
          : error
      }
    },
    async rename(viewer, target, from, to) {
      const opened = await openFilled(git, target.repo)
      const oid = await tipOf(opened, from)
      if (!isValidBranchName(to)) throw invalidField('Name', 'GitRefName')
      const isDefault = from === target.repo.defaultBranch
      const hasOwnRule = await requireRenamable(database, viewer, target, { from, to, isDefault })
      const taken = 'Cannot rename a branch using the same name or rename to a branch that already exists.'
      if ((await opened.refs.snapshot()).get(branchRef(to))) throw invalid(taken)
      const changes = [
        { ref: branchRef(from), oldOid: oid, newOid: opened.zeroOid },
        { ref: branchRef(to), oldOid: opened.zeroOid, newOid: oid },
      ]
      try {
        await write(viewer, target, changes, {
          unprotected: true,
          ...(isDefault && { defaultBranch: to }),
          async alongside(tx) {
            if (hasOwnRule) await renameBranchRule(tx, target.repo.id, from, to)
            await recordBranchRename(tx, { repoId: target.repo.id, from, to, at: clock.now() })
          },
        })
      } catch (error) {
        throw error instanceof RefConflictError && (error.reason === 'name-clash' || error.reason === 'exists')
          ? invalid(taken)
          : error
      }
    },
    async move(viewer, target, name, { to, from, force }) {
      const opened = await openFilled(git, target.repo)
      const oldOid = await tipOf(opened, name)
      if (from && from !== oldOid) throw invalid(`branch commit does not match [expected: ${from}, given: ${oldOid}]`)
      const newOid = await findCommitOid(opened, to)
      if (newOid === undefined) throw notFound(`commit does not exist: ${to}`)
      if (newOid === oldOid) return
      if (!force && !(await opened.history.isAncestor(oldOid, newOid)))
        throw invalid(`Force push ${name} need a confirm force parameter`)
      await write(viewer, target, [{ ref: branchRef(name), oldOid, newOid }])
    },
  }
}

interface Renaming {
  readonly from: string
  readonly to: string
  readonly isDefault: boolean
}

/** A rename is no push: its own rules are those of reference git-data §2. True when a rule has exactly the old name. */
async function requireRenamable(
  { read }: Database,
  viewer: Viewer,
  { repo, access }: RepoInView,
  { from, to, isDefault }: Renaming,
): Promise<boolean> {
  const branchRules = await loadBranchRules(read, repo, viewer)
  const hasOwnRule = branchRules.rules.some((rule) => rule.name === from)
  if ((isDefault || hasOwnRule) && !isRepoAdmin(access))
    throw forbidden('User must be a repo or site admin to rename default or protected branches.')
  const [old, next] = [from, to].map((branch) => ruleFor(branch, { branchRules }))
  const isDeployKey = viewer.kind === 'user' && viewer.deployKeyId !== undefined
  const leavesGlob = old !== undefined && isGlob(old.name) && !hasOwnRule
  if (leavesGlob || (next && !canPush(next, rightsFor(next, { access, isDeployKey, branchRules }))))
    throw forbidden('Failed to rename branch due to branch protection rules.')
  return hasOwnRule
}

/** Branch writes need a repository that has branches and is no mirror. */
async function openFilled(git: Git, repo: Repo): Promise<GitRepo> {
  const opened = git.open(repo)
  if ((await opened.refs.snapshot()).list('refs/heads/').length === 0) throw notFound('Git Repository is empty.')
  if (repo.isMirror) throw forbidden('Git Repository is a mirror.')
  return opened
}

async function tipOf(git: GitRepo, name: string, missing = "Branch doesn't exist."): Promise<string> {
  const oid = (await git.refs.snapshot()).get(branchRef(name))?.oid
  if (oid === undefined) throw notFound(missing)
  return oid
}

async function startOid(git: GitRepo, repo: Repo, { ref, branch }: BranchStart): Promise<string> {
  if (!ref) return tipOf(git, branch || repo.defaultBranch, 'The old branch does not exist')
  const oid = await findCommitOid(git, ref)
  if (oid === undefined) throw notFound(`ref does not exist: ${ref}`)
  return oid
}
