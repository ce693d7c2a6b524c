import type { Database } from '../../../../core/db/database.ts'
import { isGitError } from '../../../../core/git/index.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Logger } from '../../../../core/platform/logger.ts'
import { walkRepoIds } from './records.store.ts'

interface EachRepo {
  readonly database: Database
  readonly log: Logger
  readonly signal: AbortSignal
  /** The log message for a repository on which `work` fails with a GitError. */
  readonly failure: string
  /** All repositories if absent. */
  readonly ids?: Iterable<RepoId> | AsyncIterable<RepoId> | undefined
}

/**
 * Runs `work` on one repository at a time. A GitError is logged, and the next repository follows; any other error ends
 * the run. Throws the reason of `signal` if that is aborted between two repositories.
 */
export async function eachRepo(
  { database, log, signal, failure, ids = walkRepoIds(database.read) }: EachRepo,
  work: (id: RepoId) => Promise<unknown>,
): Promise<void> {
  for await (const id of ids) {
    signal.throwIfAborted()
    try {
      await work(id)
    } catch (error) {
      if (!isGitError(error)) throw error
      log.error({ err: error, repo: id }, failure)
    }
  }
}
