import { type Viewer, systemActor } from '../../../core/access/viewer.ts'
import { type GitRepo, type PushPolicy, branchRef, type Git } from '../../../core/git/index.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { type Repo, type RepoInView, repoQueries } from '../../repositories/index.ts'
import { createPageReads, type PageReads } from './pages.ts'
import { wikiPushPolicy, ensureWiki, findWiki } from './wiki-pushes.ts'
import { createPageWrites, type PageWrites, type WikiDeps } from './write-page.ts'
import type { Core } from '../../../core/module.ts'

/** How the row of a wiki differs from its refs after a crash. The refs are authoritative. */
interface WikiDrift {
  /**
   * The branch of the pages: that of the row if it exists, otherwise that of HEAD, otherwise `main`, `master` or any.
   */
  readonly branch: string
  /** Its tip; undefined if the branch does not exist. */
  readonly oid: string | undefined
  /** Whether HEAD refers to another branch. */
  readonly isHeadWrong: boolean
}

type Deps = Pick<Core, 'database' | 'git' | 'clock' | 'events'>

const BRANCH = 'refs/heads/'

/** Returns undefined if row and refs agree or the wiki does not exist. */
async function findWikiDrift(git: Git, repo: Repo): Promise<WikiDrift | undefined> {
  const wiki = await findWiki(git, repo)
  if (wiki === undefined) return undefined
  const snapshot = await wiki.refs.snapshot()
  const names = snapshot.list(BRANCH).map(({ name }) => name.slice(BRANCH.length))
  const wanted = [repo.wikiBranch, snapshot.head?.slice(BRANCH.length), 'main', 'master']
  const branch = wanted.find((name) => name !== undefined && names.includes(name)) ?? names[0] ?? repo.wikiBranch
  const oid = snapshot.get(branchRef(branch))?.oid
  const isHeadWrong = snapshot.head !== branchRef(branch)
  return branch === repo.wikiBranch && oid === repo.wikiOid && !isHeadWrong ? undefined : { branch, oid, isHeadWrong }
}

async function inspectWiki(
  { database, git }: Pick<Deps, 'database' | 'git'>,
  repoId: Repo['id'],
): Promise<WikiDrift | undefined> {
  const repo = await repoQueries.findById(database.read, repoId)
  return repo && findWikiDrift(git, repo)
}

/**
 * Sets HEAD and row from the refs and appends an event if the tip changed. Returns how they differed; undefined if they
 * agreed.
 */
async function recordWiki({ database, git, clock, events }: Deps, repoId: Repo['id']): Promise<WikiDrift | undefined> {
  const repo = await repoQueries.findById(database.read, repoId)
  const drift = repo && (await findWikiDrift(git, repo))
  const wiki = repo && (await findWiki(git, repo))
  if (repo === undefined || drift === undefined || wiki === undefined) return undefined
  const { branch, oid, isHeadWrong } = drift
  if (isHeadWrong) await wiki.refs.setHead(branch)
  const at = clock.now()
  await database.transaction(async (tx) => {
    await repoQueries.setWikiTip(tx, repoId, { oid, branch, updatedAt: oid === repo.wikiOid ? undefined : at })
    if (oid !== repo.wikiOid)
      await events.append(tx, 'wiki.pushed', { actor: systemActor, repoId, at }, { repo_id: repoId })
  })
  return drift
}

async function reconcileWiki(deps: Deps & Pick<Core, 'log'>, repoId: Repo['id']): Promise<boolean> {
  const drift = await recordWiki(deps, repoId)
  if (drift === undefined) return false
  deps.log.warn({ repo: repoId, ...drift }, 'repaired a wiki whose row differed from its refs')
  return true
}

/** The wiki of a repository is a second git repository (behaviour/repositories#wiki). Callers check permissions. */
export interface Wikis {
  readonly pages: PageReads & PageWrites
  /** The wiki for git clients; undefined if it has not been created. */
  find(repo: Repo): Promise<GitRepo | undefined>
  /** The wiki for git clients that push; created if it does not exist. */
  ensure(repo: Repo): Promise<GitRepo>
  policyFor(viewer: Viewer, target: RepoInView): PushPolicy
  /** Compares refs and row, which may differ after a crash. Returns undefined if they agree. */
  inspect(repoId: Repo['id']): Promise<WikiDrift | undefined>
  /** Records in row and HEAD what was written to the refs without a push. */
  record(repoId: Repo['id']): Promise<void>
  /** Repairs row and HEAD from the refs on disk. Returns true if they differed. */
  reconcile(repoId: Repo['id']): Promise<boolean>
}

export function createWikis(deps: WikiDeps & { readonly log: Logger; readonly maxPageBytes: number }): Wikis {
  return {
    pages: { ...createPageReads(deps), ...createPageWrites(deps) },
    find: (repo) => findWiki(deps.git, repo),
    ensure: (repo) => ensureWiki(deps.git, repo),
    policyFor: (viewer, target) => wikiPushPolicy(deps, viewer, target),
    inspect: (repoId) => inspectWiki(deps, repoId),
    record: async (repoId) => void (await recordWiki(deps, repoId)),
    reconcile: (repoId) => reconcileWiki(deps, repoId),
  }
}
