import type { Database } from '../../db/database.ts'
import { type Git, isGitError } from '../../git/index.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/logger.ts'
import { findRepoById, walkRepoIds } from '../repos/index.ts'
import type { Pushes } from './accept-push.ts'

type Reconcile = (repoId: RepoId) => Promise<unknown>

/** Makes rows agree with what is on disk, for every repository: a process may have been killed between the two. */
export interface RepoReconcilers {
  /** A later subject adds what it compares itself; it runs for each repository after refs and branch rows agree. */
  add(reconcile: Reconcile): void
  /** One repository after the other; those that git cannot read are logged. */
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
      for await (const id of walkRepoIds(database.read)) {
        if (signal.aborted) return
        for (const reconcile of reconcilers)
          await catchGitError(
            () => reconcile(id),
            (error) => log.error({ err: error, repo: id }, 'repository not compared with its rows'),
          )
      }
    },
  }
}

/** Creates the git data of repositories that have none, empty. */
export async function reinitMissingRepos(
  { database, git, log, pushes }: Deps & { readonly git: Git },
  signal: AbortSignal,
): Promise<void> {
  for await (const id of walkRepoIds(database.read)) {
    signal.throwIfAborted()
    const repo = await findRepoById(database.read, id)
    if (repo === undefined) continue
    await catchGitError(
      async () => {
        if (await git.repoExists(repo.storage)) return
        await git.createRepo(repo.storage, repo)
        log.warn(
          { repo: repo.id, name: repo.fullName },
          'the git data was missing; made an empty repository in its place',
        )
        await pushes.reconcile(repo.id)
      },
      (error) => log.error({ err: error, repo: id }, 'repository left out'),
    )
  }
}

/** A repository that git cannot read does not stop the work on the others. */
async function catchGitError(work: () => Promise<unknown>, onError: (error: unknown) => void): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isGitError(error)) throw error
    onError(error)
  }
}
