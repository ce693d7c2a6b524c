import { keepPathIndexes } from '../../../src/core/git/disk/commit-graph.ts'
import { createStoreCaches } from '../../../src/core/git/engine/packs/object-store.ts'
import { type BuildOptions, buildPathIndexes } from '../../../src/core/git/engine/graph/paths/build-path-index.ts'
import { RepoView } from '../../../src/core/git/engine/graph/repo-view.ts'
import type { GitRepo } from '../../../src/core/git/index.ts'

export const viewOf = (repo: GitRepo): RepoView =>
  new RepoView(repo.path, repo.objectFormat, { caches: createStoreCaches(1 << 20, 1 << 20) })

/** One run of what maintenance does in large repositories. */
export async function indexPaths(repo: GitRepo, options: BuildOptions = {}): Promise<void> {
  const view = viewOf(repo)
  const walk = buildPathIndexes(view, { minCommits: 0, ...options })
  let step = walk.next()
  while (!step.done) step = walk.next()
  view.close()
  await keepPathIndexes(repo.path, step.value)
}
