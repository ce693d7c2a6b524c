import type { Database } from '../../db/database.ts'
import { walkRepoIds } from '../../db/stores/repo-walk.store.ts'
import { findRepoById, updateRepo } from '../../db/stores/repo.store.ts'
import type { Pushes } from '../../domain/code/index.ts'
import type { Git } from '../../git/index.ts'
import { asId } from '../../platform/ids.ts'
import type { JobHandlers } from '../index.ts'

export interface RepoUpkeepDeps {
  readonly database: Database
  readonly git: Git
  readonly pushes: Pushes
}

/** Work on repositories that nobody waits for: packing, sizes, rows that a crash left behind, leftovers on disk. */
export function repoUpkeepJobs({ database, git, pushes }: RepoUpkeepDeps): Pick<JobHandlers, 'git.clean' | 'repo.maintain' | 'repos.reconcile'> {
  return {
    async 'repo.maintain'({ repo_id }) {
      const repo = await findRepoById(database.read, asId(repo_id))
      if (repo === undefined) return
      await git.maintain(repo, 'push')
      const wiki = { storage: `${repo.storage}.wiki`, objectFormat: repo.objectFormat }
      if (await git.repoExists(wiki.storage)) await git.maintain(wiki, 'push')
      const { bytes } = await git.measureRepo(repo.storage)
      await database.transaction((tx) => updateRepo(tx, repo.id, { git_size: bytes }))
    },
    async 'repos.reconcile'(_, signal) {
      for await (const id of walkRepoIds(database.read)) {
        if (signal.aborted) return
        await pushes.reconcile(id)
      }
    },
    async 'git.clean'() {
      await git.cleanUp()
    },
  }
}
