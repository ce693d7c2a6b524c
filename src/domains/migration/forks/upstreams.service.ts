import type { Core, Services } from '../../../core/module.ts'
import { AccessMode, unitMode } from '../../../core/access/repo-access.ts'
import type { SignedIn, Viewer } from '../../../core/access/viewer.ts'
import type { Database } from '../../../core/db/database.ts'
import { branchRef, copyObjects, type GitRepo, retryMoved } from '../../../core/git/index.ts'
import { badRequest, conflict, engineErrors, notFound } from '../../../core/platform/errors.ts'
import { errors } from '../../errors.ts'
import {
  type CommitSigner,
  type Repo,
  type RepoInView,
  repoQueries,
  accessQueries,
  gitWriter,
} from '../../repositories/index.ts'
import { commitIdentity, userQueries } from '../../accounts/index.ts'

type UpstreamMerge = 'up-to-date' | 'fast-forward' | 'merge'

export interface UpstreamDeps extends Pick<Core, 'database' | 'git' | 'clock'> {
  readonly pushes: Services['pushes']
  readonly noReplyDomain: string
  readonly signer: CommitSigner | undefined
}

/** The maximum number of tips of the fork sent as `have`: with more, the request would be larger than the response. */
const MAX_HAVES = 200
const MAX_ATTEMPTS = 3

export type Upstreams = ReturnType<typeof createUpstreams>

export function createUpstreams(deps: UpstreamDeps) {
  const { database, git, pushes } = deps
  return {
    /**
     * Merges the branch of the same name of the base, or its default branch, into a branch of a fork
     * (behaviour/repositories#forks). Throws bad-request (not a fork, diverged with `onlyForward`), NotFound (branch,
     * or a base that the actor may not see), Conflict, Forbidden.
     */
    async merge(
      actor: SignedIn,
      target: RepoInView,
      { branch, onlyForward }: { readonly branch: string; readonly onlyForward: boolean },
    ): Promise<UpstreamMerge> {
      const { repo } = target
      const base = await findBase(database, actor, repo)
      const ours = git.open(repo)
      return retryMoved(MAX_ATTEMPTS, () =>
        ours.writing(async () => {
          const tip = (await ours.refs.snapshot()).get(branchRef(branch))?.oid
          if (branch === '' || tip === undefined) throw errors.startBranchNotFound(repo.id, branch)
          const upstream = await fetchUpstream(git.open(base), ours, { base, branch })
          if (await ours.history.isAncestor(upstream.oid, tip)) return 'up-to-date'
          const forward = await ours.history.isAncestor(tip, upstream.oid)
          if (!forward && onlyForward) throw badRequest('fast-forward merge not possible: branch has diverged')
          const newOid = forward ? upstream.oid : await commitMerge(deps, actor, ours, { tip, upstream, branch, base })
          await pushes.push(actor, target, [{ ref: branchRef(branch), oldOid: tip, newOid }], {
            quota: 'size:git:all',
          })
          return forward ? 'fast-forward' : 'merge'
        }),
      )
    },
  }
}

/**
 * The repository that this one was forked from. Throws bad-request if it is not a fork, NotFound when the viewer may
 * not read the base, which may have become private.
 */
export async function findBase({ read }: Database, viewer: Viewer, repo: Repo): Promise<Repo> {
  const base = repo.forkId === undefined ? undefined : await repoQueries.findById(read, repo.forkId)
  if (base === undefined) throw badRequest('repo is not a fork')
  if (unitMode(await accessQueries.load(read, viewer, base), 'repo.code') < AccessMode.read)
    throw notFound('the base repository is not readable')
  return base
}

interface Upstream {
  readonly oid: string
  readonly branch: string
}

/** Copies the objects of the base's branch into the fork; returns the tip and name of that branch. */
async function fetchUpstream(
  theirs: GitRepo,
  ours: GitRepo,
  { base, branch }: { base: Repo; branch: string },
): Promise<Upstream> {
  const snapshot = await theirs.refs.snapshot()
  const named = snapshot.get(branchRef(branch)) ?? snapshot.get(branchRef(base.defaultBranch))
  if (named === undefined) throw notFound('the base repository has no such branch')
  if ((await ours.objects.findInfo(named.oid)) === undefined) {
    const haves = (await ours.refs.snapshot())
      .list('refs/heads/')
      .slice(0, MAX_HAVES)
      .map((ref) => ref.oid)
    await copyObjects(theirs, ours, { wants: [named.oid], haves })
  }
  return { oid: named.oid, branch: named.name.replace('refs/heads/', '') }
}

interface Merging {
  readonly tip: string
  readonly upstream: Upstream
  readonly branch: string
  readonly base: Repo
}

async function commitMerge(
  { database, clock, noReplyDomain, signer }: UpstreamDeps,
  actor: SignedIn,
  ours: GitRepo,
  { tip, upstream, branch, base }: Merging,
): Promise<string> {
  const user = await userQueries.findById(database.read, actor.account.id)
  if (user === undefined) throw engineErrors.tokenRequired()
  const { tree, conflicts } = await ours.merges.mergeTrees(tip, upstream.oid)
  if (conflicts.length > 0) throw conflict(`merge conflict in ${conflicts.slice(0, 5).join(', ')}`)
  const identity = { ...commitIdentity(user, noReplyDomain), time: Math.floor(clock.now() / 1000), offset: 0 }
  const writer = ours.writer()
  const message = `Merge branch '${upstream.branch}' of ${base.fullName} into ${branch}\n`
  const oid = await gitWriter.writeCommit(
    writer,
    { tree, parents: [tip, upstream.oid], author: identity, committer: identity, message },
    signer,
  )
  await writer.flush()
  return oid
}
