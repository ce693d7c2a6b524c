import type { Database } from '../../../../core/db/database.ts'
import type { Git } from '../../../../core/git/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import { eachRepo, findRepoById } from '../../../repositories/index.ts'
import type { Pushes } from '../pushes.service.ts'

type Reconcile = (repoId: RepoId) => Promise<unknown>

/**
 * Makes rows agree with what is on disk, for every repository: the process may have been killed between the two writes.
 */
export interface RepoReconcilers {
  /** A later module adds its own comparison. It runs after the refs and branch rows of all repositories agree. */
  add(reconcile: Reconcile): void
  /** A repository that git cannot read is logged and does not stop the others. Throws when the signal aborts. */
  reconcileAll(signal: AbortSignal): Promise<void>
}

interface Deps {
  readonly database: Database
  readonly log: Logger
  readonly pushes: Pick<Pushes, 'reconcile'>
}

export function createRepoReconcilers({ database, log, pushes }: Deps): RepoReconcilers {
  const reconcilers: Reconcile[] = [(repoId) => pushes.reconcile(repoId)]
  return {
    add: (reconcile) => void reconcilers.push(reconcile),
    async reconcileAll(signal) {
      const failure = 'repository not compared with its rows'
      for (const reconcile of reconcilers) await eachRepo({ database, log, signal, failure }, reconcile)
    },
  }
}

/** Creates an empty git repository for every row whose git data is missing. */
export const reinitMissingRepos = (
  { database, git, log, pushes }: Deps & { readonly git: Git },
  signal: AbortSignal,
): Promise<void> =>
  eachRepo({ database, log, signal, failure: 'repository not examined' }, async (id) => {
    const repo = await findRepoById(database.read, id)
    if (repo === undefined || (await git.repoExists(repo.storage))) return
    await git.createRepo(repo.storage, repo)
    log.warn({ repo: id, name: repo.fullName }, 'the git data was missing; created an empty repository in its place')
    await pushes.reconcile(id)
  })
