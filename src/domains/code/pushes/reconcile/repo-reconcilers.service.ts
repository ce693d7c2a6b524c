import type { Core } from '../../../../core/module.ts'
import type { Git } from '../../../../core/git/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { eachRepo, findRepoById } from '../../../repositories/index.ts'
import type { Pushes } from '../pushes.service.ts'

type Reconcile = (repoId: RepoId) => Promise<unknown>

interface Deps extends Pick<Core, 'database' | 'log'> {
  readonly pushes: Pick<Pushes, 'reconcile'>
}

export type RepoReconcilers = ReturnType<typeof createRepoReconcilers>

/**
 * Makes rows agree with what is on disk, for every repository: the process may have been killed between the two writes.
 */
export function createRepoReconcilers({ database, log, pushes }: Deps) {
  const reconcilers: Reconcile[] = [(repoId) => pushes.reconcile(repoId)]
  return {
    /** A later module adds its own comparison. It runs after the refs and branch rows of all repositories agree. */
    add: (reconcile: Reconcile): void => void reconcilers.push(reconcile),
    /** A repository that git cannot read is logged and does not stop the others. Throws when the signal aborts. */
    async reconcileAll(signal: AbortSignal): Promise<void> {
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
