import type { Database } from '../../db/database.ts'
import type { Git } from '../../git/index.ts'
import type { JobHandlers } from '../../jobs/index.ts'
import { asId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Pushes } from '../pushes/accept-push.ts'
import { walkRepoIds } from '../repos/repo-walk.store.ts'
import { findRepoById, type Repo, updateRepo } from '../repos/repo.store.ts'
import type { Wikis } from '../wiki/wikis.service.ts'
import { passing } from './site-upkeep.job.ts'

export interface RepoUpkeepDeps {
  readonly database: Database
  readonly git: Git
  readonly log: Logger
  readonly pushes: Pushes
  readonly wikis: Wikis
  /** Bytes of packs from which a repository has a bundle; Infinity where none has. */
  readonly bundleMinBytes: number
}

/** Work on repositories that nobody waits for: packing, sizes, rows that a crash left behind, leftovers on disk. */
export function repoUpkeepJobs({
  database,
  git,
  log,
  pushes,
  wikis,
  bundleMinBytes,
}: RepoUpkeepDeps): Pick<JobHandlers, 'git.clean' | 'repo.maintain' | 'repo.measure' | 'repos.reconcile'> {
  const wikiOf = (repo: Repo): string => `${repo.storage}.wiki`
  const measure = async (repo: Repo): Promise<void> => {
    const uses = await Promise.all(
      [repo.storage, wikiOf(repo)].map(async (storage) =>
        (await git.repoExists(storage)) ? (await git.measureRepo(storage)).bytes : 0,
      ),
    )
    const bytes = uses.reduce((sum, use) => sum + use, 0)
    if (bytes !== repo.gitSize) await database.transaction((tx) => updateRepo(tx, repo.id, { git_size: bytes }))
  }
  return {
    async 'repo.measure'({ repo_id }) {
      const repo = await findRepoById(database.read, asId(repo_id))
      if (repo !== undefined) await measure(repo)
    },
    async 'repo.maintain'({ repo_id }) {
      const repo = await findRepoById(database.read, asId(repo_id))
      if (repo === undefined) return
      await git.maintain(repo, 'push')
      const wiki = { storage: wikiOf(repo), objectFormat: repo.objectFormat }
      if (await git.repoExists(wiki.storage)) {
        await wikis.reconcile(repo.id)
        await git.maintain(wiki, 'push')
      }
      await measure(repo)
      await git.refreshBundle(repo, bundleMinBytes)
    },
    async 'repos.reconcile'(_, signal) {
      for await (const id of walkRepoIds(database.read)) {
        if (signal.aborted) return
        const onError = (error: unknown): void =>
          log.error({ err: error, repo: id }, 'repository not compared with its rows')
        await passing(() => pushes.reconcile(id), onError)
        await passing(() => wikis.reconcile(id), onError)
      }
    },
    async 'git.clean'() {
      await git.cleanUp()
    },
  }
}
