import type { Viewer } from '../../access/viewer.ts'
import { translated } from '../../git/index.ts'
import type { GitRepo, PushPolicy } from '../../git/index.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Repo, RepoInView } from '../repos/index.ts'
import { createPageReads, type PageReads } from './pages.ts'
import { inspectWiki, reconcileWiki, type WikiDrift } from './reconcile.ts'
import { wikiPushPolicy } from './wiki-pushes.ts'
import { ensureWiki, findWiki } from './wiki-repo.ts'
import { createPageWrites, type PageWrites, type WikiDeps } from './write-page.ts'

/**
 * The wiki of a repository: a second git repository (reference repositories §21). Callers check permissions before.
 */
export interface Wikis {
  readonly pages: PageReads & PageWrites
  /** For git clients; undefined when there is none yet. */
  find(repo: Repo): Promise<GitRepo | undefined>
  /** For git clients that push: created when there is none yet. */
  ensure(repo: Repo): Promise<GitRepo>
  policyFor(viewer: Viewer, target: RepoInView): PushPolicy
  /** How refs and row differ after a crash; undefined when they agree. */
  inspect(repoId: Repo['id']): Promise<WikiDrift | undefined>
  /** Makes row and HEAD agree with the refs on disk. True when something was wrong. */
  reconcile(repoId: Repo['id']): Promise<boolean>
}

export function createWikis(deps: WikiDeps & { readonly log: Logger; readonly maxPageBytes: number }): Wikis {
  return {
    pages: translated({ ...createPageReads(deps), ...createPageWrites(deps) }),
    find: (repo) => findWiki(deps.git, repo),
    ensure: (repo) => ensureWiki(deps.git, repo),
    policyFor: (viewer, target) => wikiPushPolicy(deps, viewer, target),
    inspect: (repoId) => inspectWiki(deps, repoId),
    reconcile: (repoId) => reconcileWiki(deps, repoId),
  }
}
