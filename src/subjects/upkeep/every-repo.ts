import type { Database } from '../../db/database.ts'
import { type Git, isGitError } from '../../git/index.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/logger.ts'
import { findRepoById, type Repo, walkRepoIds } from '../repos/index.ts'

export interface EveryRepoDeps {
  readonly database: Database
  readonly git: Git
  readonly log: Logger
}

interface Work {
  readonly signal: AbortSignal
  /** What the log says of a repository that git cannot work on; the others get their turn. */
  readonly failure: string
  run(repo: Repo): Promise<void>
}

/** Looks for damage in every repository; what it finds is logged. */
export const checkEveryRepo = (deps: EveryRepoDeps, signal: AbortSignal): Promise<void> =>
  forEach(deps, walkRepoIds(deps.database.read), {
    signal,
    failure: 'repository not checked',
    async run(repo) {
      const lines = await deps.git.check(repo, 'reachable')
      if (lines.length > 0)
        deps.log.error({ repo: repo.id, name: repo.fullName, lines }, 'git fsck found damage in a repository')
    },
  })

/** Packs repositories anew and expires what nothing reaches any more; all of them unless `ids` says which. */
export const collectGarbage = (
  deps: EveryRepoDeps,
  signal: AbortSignal,
  ids: Iterable<RepoId> | AsyncIterable<RepoId> = walkRepoIds(deps.database.read),
): Promise<void> =>
  forEach(deps, ids, {
    signal,
    failure: 'repository not collected',
    async run(repo) {
      await deps.git.maintain(repo, 'full')
    },
  })

/** Deletes the programs in the hooks directories of repositories and wikis. */
export const deleteHooksOfEveryRepo = (deps: EveryRepoDeps, signal: AbortSignal): Promise<void> =>
  forEach(deps, walkRepoIds(deps.database.read), {
    signal,
    failure: 'repository left out',
    async run({ storage }) {
      await deps.git.removeHooks(storage)
      await deps.git.removeHooks(`${storage}.wiki`)
    },
  })

/** One repository after the other; aborts between two. */
async function forEach(
  { database, log }: EveryRepoDeps,
  ids: Iterable<RepoId> | AsyncIterable<RepoId>,
  { signal, failure, run }: Work,
): Promise<void> {
  for await (const id of ids) {
    signal.throwIfAborted()
    const repo = await findRepoById(database.read, id)
    if (repo === undefined) continue
    try {
      await run(repo)
    } catch (error) {
      if (!isGitError(error)) throw error
      log.error({ err: error, repo: id }, failure)
    }
  }
}
