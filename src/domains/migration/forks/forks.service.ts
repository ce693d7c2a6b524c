import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import { branchRef, type GitRepo } from '../../../core/git/index.ts'
import { badRequest } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import { findBase, type UpstreamDeps, type Upstreams } from './upstreams.service.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { createFork, type ForkDeps, type ForkTarget } from './create-fork.ts'
import { listForks } from './fork.store.ts'

/** A branch of a fork compared with the branch of the same name of its base. */
export interface ForkState {
  /** The fork's branch can be fast-forwarded to that of the base. */
  readonly allowed: boolean
  /** Commit ids. */
  readonly forkCommit: string
  readonly baseCommit: string
  /** Commits of the base that the fork lacks. */
  readonly behind: number
}

export type ForkSyncs = ReturnType<typeof createForkSyncs>

export function createForkSyncs({ database, git }: Pick<UpstreamDeps, 'database' | 'git'>, upstreams: Upstreams) {
  /**
   * `branch`: undefined for the default branch of the fork. Throws bad-request when the repository is not a fork,
   * NotFound for a missing branch of the fork or the base, or a base that the viewer may not see.
   */
  async function state(
    viewer: Viewer,
    repo: Repo,
    branch: string | undefined = repo.defaultBranch,
  ): Promise<ForkState> {
    const base = await findBase(database, viewer, repo)
    const [ours, theirs] = [git.open(repo), git.open(base)]
    const [forkCommit, baseCommit] = await Promise.all([tipOf(ours, branch), tipOf(theirs, branch)])
    if (forkCommit === baseCommit) return { allowed: false, forkCommit, baseCommit, behind: 0 }
    const [ahead, behind] = await Promise.all([
      ours.history.count({ tip: forkCommit, not: [baseCommit], borrow: theirs.path }),
      theirs.history.count({ tip: baseCommit, not: [forkCommit], borrow: ours.path }),
    ])
    return { allowed: ahead === 0 && behind > 0 && !repo.isArchived, forkCommit, baseCommit, behind }
  }
  return {
    state,
    /**
     * Fast-forwards the branch to that of the base (behaviour/repositories#forks). Throws as `state`, and bad-request
     * when that is not allowed.
     */
    async forward(
      actor: SignedIn,
      target: RepoInView,
      branch: string | undefined = target.repo.defaultBranch,
    ): Promise<void> {
      if (!(await state(actor, target.repo, branch)).allowed)
        throw badRequest('the branch cannot be moved forward to that of the base')
      await upstreams.merge(actor, target, { branch, onlyForward: true })
    },
  }
}

async function tipOf(repo: GitRepo, branch: string): Promise<string> {
  const ref = (await repo.refs.snapshot()).get(branchRef(branch))
  if (ref === undefined) throw errors.branchUnknown(branch)
  return ref.oid
}

export type Forks = ReturnType<typeof createForks>

export function createForks(deps: ForkDeps) {
  return {
    /** The forks that the viewer may see, oldest first. */
    list: (viewer: Viewer, base: Repo, paging: Paging): Promise<Page<Repo>> =>
      listForks(deps.database.read, base.id, viewer, paging),
    /**
     * Creates a complete fork for an owner for whom the actor may create repositories. Throws conflict (already forked,
     * name in use, limit), invalid (name) and forbidden (blocked by the owner of the base).
     */
    create: (actor: SignedIn, base: Repo, target: ForkTarget): Promise<Repo> => createFork(deps, actor, base, target),
  }
}
