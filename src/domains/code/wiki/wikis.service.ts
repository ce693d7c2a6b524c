import type { Viewer } from '../../../core/access/viewer.ts'
import { type GitRepo, type PushPolicy, translated } from '../../../core/git/index.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { Repo, RepoInView } from '../../repositories/index.ts'
import { createPageReads, type PageReads } from './pages.ts'
import { inspectWiki, reconcileWiki, type WikiDrift } from './reconcile.ts'
import { wikiPushPolicy } from './wiki-pushes.ts'
import { ensureWiki, findWiki } from './wiki-repo.ts'
import { createPageWrites, type PageWrites, type WikiDeps } from './write-page.ts'

/** The wiki of a repository is a second git repository (behaviour/repositories#wiki). Callers check permissions. */
export interface Wikis {
  readonly pages: PageReads & PageWrites
  /** For git clients. Returns undefined if the wiki has not been created. */
  find(repo: Repo): Promise<GitRepo | undefined>
  /** For git clients that push. Creates the wiki if it does not exist. */
  ensure(repo: Repo): Promise<GitRepo>
  policyFor(viewer: Viewer, target: RepoInView): PushPolicy
  /** Compares refs and row, which may differ after a crash. Returns undefined if they agree. */
  inspect(repoId: Repo['id']): Promise<WikiDrift | undefined>
  /** Repairs row and HEAD from the refs on disk. Returns true if they differed. */
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
