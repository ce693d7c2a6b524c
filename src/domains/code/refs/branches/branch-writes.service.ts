import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  branchRef,
  findCommitOid,
  type GitRepo,
  isNewRefName,
  RefConflictError,
  retryMoved,
  tagRef,
} from '../../../../core/git/index.ts'
import { conflict, forbidden, invalid, invalidField, notFound } from '../../../../core/platform/errors.ts'
import { PushRefusedError, type Pushes } from '../../pushes/pushes.service.ts'
import type { RefChange } from '../../pushes/record-push.ts'
import type { DiskQuota } from '../../../accounts/index.ts'
import type { Repo, RepoInView } from '../../../repositories/index.ts'
import { openNonEmpty, tipOf } from './branch-tips.ts'
import { renameBranch } from './rename-branch.ts'

/** Where a branch starts: any ref, else a branch, else the default branch. */
interface BranchStart {
  readonly ref?: string | undefined
  readonly branch?: string | undefined
}

interface BranchMove {
  readonly to: string
  /** The commit that the branch must be at now. */
  readonly from?: string | undefined
  /** Accepts that the branch loses commits. */
  readonly force?: boolean | undefined
}

interface BranchWriteDeps extends Pick<Core, 'database' | 'git' | 'clock' | 'events'> {
  readonly pushes: Pushes
  readonly quota: Pick<DiskQuota, 'require'>
}

export type BranchWrites = ReturnType<typeof createBranchWrites>

/**
 * Creates, deletes, renames and moves branches. Its errors are those of the contract
 * (behaviour/git-data-and-transport#branches).
 */
export function createBranchWrites({ database, git, clock, events, pushes, quota }: BranchWriteDeps) {
  const write = (actor: SignedIn, target: RepoInView, change: RefChange): Promise<void> =>
    git.open(target.repo).writing(() => pushes.push(actor, target, [change], { quota: 'size:git:all' }))

  return {
    async create(actor: SignedIn, target: RepoInView, name: string, start: BranchStart): Promise<void> {
      const opened = await openNonEmpty(git, target.repo)
      if (!isNewRefName(name)) throw invalidField('BranchName', 'GitRefName')
      const newOid = await startOid(opened, target.repo, start)
      const snapshot = await opened.refs.snapshot()
      if (snapshot.get(branchRef(name))) throw conflict('The branch already exists.')
      if (snapshot.get(tagRef(name))) throw conflict('The branch with the same tag already exists.')
      try {
        await write(actor, target, { ref: branchRef(name), oldOid: opened.zeroOid, newOid })
      } catch (error) {
        if (!(error instanceof RefConflictError)) throw error
        throw conflict(
          error.reason === 'name-clash'
            ? 'The branch with the same name already exists.'
            : 'The branch already exists.',
        )
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
            ? forbidden('branch protected')
            : error
        }
      })
    },
    /**
     * Renames the default branch, HEAD and the rule that has the old name too. Files can still be read by the old name.
     */
    rename: (actor: SignedIn, target: RepoInView, from: string, to: string): Promise<void> =>
      onNewestTip(() => renameBranch({ database, git, clock, events, pushes, quota }, actor, target, { from, to })),
    async move(actor: SignedIn, target: RepoInView, name: string, { to, from, force }: BranchMove): Promise<void> {
      const opened = await openNonEmpty(git, target.repo)
      await onNewestTip(async () => {
        const oldOid = await tipOf(opened, name)
        if (from && from !== oldOid) throw invalid(`branch commit does not match [expected: ${from}, given: ${oldOid}]`)
        const newOid = await findCommitOid(opened, to)
        if (newOid === undefined) throw notFound(`commit does not exist: ${to}`)
        if (newOid === oldOid) return
        if (!force && !(await opened.history.isAncestor(oldOid, newOid)))
          throw invalid(`Force push ${name} need a confirm force parameter`)
        await write(actor, target, { ref: branchRef(name), oldOid, newOid })
      })
    },
  }
}

const MAX_ATTEMPTS = 20

/** A branch that moves meanwhile: its newest tip decides. */
const onNewestTip = (task: () => Promise<void>): Promise<void> => retryMoved(MAX_ATTEMPTS, task)

async function startOid(git: GitRepo, repo: Repo, { ref, branch }: BranchStart): Promise<string> {
  if (!ref) return tipOf(git, branch || repo.defaultBranch, 'The old branch does not exist')
  const oid = await findCommitOid(git, ref)
  if (oid === undefined) throw notFound(`ref does not exist: ${ref}`)
  return oid
}
