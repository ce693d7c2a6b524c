import type { Core, Services } from '../../../core/module.ts'
import type { RepoId } from '../../../core/platform/crypto/ids.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'

export interface MaintainRepoDeps extends Pick<Core, 'database' | 'git'> {
  readonly wikis: Pick<Services['wikis'], 'reconcile'>
  /** Size of packs, in bytes, from which a repository has a bundle; Infinity disables bundles. */
  readonly bundleMinBytes: number
}

/** Packs a repository and its wiki after pushes, measures their size, and renews the bundle. */
export async function maintainRepo(deps: MaintainRepoDeps, repoId: RepoId): Promise<void> {
  const { database, git, wikis, bundleMinBytes } = deps
  const repo = await repoQueries.findById(database.read, repoId)
  if (repo === undefined) return
  await git.maintain(repo, 'push')
  const wiki = { storage: wikiOf(repo), objectFormat: repo.objectFormat }
  if (await git.repoExists(wiki.storage)) {
    await wikis.reconcile(repo.id)
    await git.maintain(wiki, 'push')
  }
  await measure(deps, repo)
  await git.refreshBundle(repo, bundleMinBytes)
}

/** Measures the disk space of a repository and its wiki and stores it. */
export async function measureRepo(deps: Pick<MaintainRepoDeps, 'database' | 'git'>, repoId: RepoId): Promise<void> {
  const repo = await repoQueries.findById(deps.database.read, repoId)
  if (repo !== undefined) await measure(deps, repo)
}

const wikiOf = (repo: Repo): string => `${repo.storage}.wiki`

async function measure({ database, git }: Pick<MaintainRepoDeps, 'database' | 'git'>, repo: Repo): Promise<void> {
  const sizes = await Promise.all(
    [repo.storage, wikiOf(repo)].map(async (storage) =>
      (await git.repoExists(storage)) ? (await git.measureRepo(storage)).bytes : 0,
    ),
  )
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  if (bytes !== repo.gitSize) await database.transaction((tx) => repoQueries.setGitSize(tx, repo.id, bytes))
}
