import type { Database } from '../../db/database.ts'
import { type Git, isGitError } from '../../git/index.ts'
import type { JobHandlers } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { RepoId } from '../../platform/ids.ts'
import type { Logger } from '../../platform/logger.ts'
import { listReposWithDeletedRefs, walkRepoIds } from '../repos/repo-walk.store.ts'
import { findRepoById } from '../repos/repo.store.ts'
import { recountWrong } from './recount.ts'

export interface SiteUpkeepDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly log: Logger
}

const DAY_MS = 24 * 60 * 60_000
/** What nothing reaches is kept for two weeks by maintenance; a day more and it can go. */
const KEPT_MS = 15 * DAY_MS

/**
 * Work on the whole site that tasks by the clock begin. Each goes through one repository after the other and can be cut
 * short.
 */
export function siteUpkeepJobs({
  database,
  git,
  clock,
  log,
}: SiteUpkeepDeps): Pick<JobHandlers, 'counters.recount' | 'repos.check' | 'repos.collect' | 'repos.expire_deleted'> {
  const { read } = database
  const collect = async (id: RepoId): Promise<void> => {
    const repo = await findRepoById(read, id)
    if (repo !== undefined)
      await passing(
        () => git.maintain(repo, 'full'),
        (error) => log.error({ err: error, repo: id }, 'repository not collected'),
      )
  }
  return {
    async 'counters.recount'(_, signal) {
      const { wrong, first } = await recountWrong(database, signal)
      if (wrong > 0) log.warn({ counters: wrong, first }, 'counters disagreed with what they count; counted again')
    },
    async 'repos.check'(_, signal) {
      for await (const id of walkRepoIds(read)) {
        signal.throwIfAborted()
        const repo = await findRepoById(read, id)
        if (repo === undefined) continue
        const lines = await passing(
          () => git.check(repo, 'reachable'),
          (error) => log.error({ err: error, repo: id }, 'repository not checked'),
        )
        if (lines && lines.length > 0)
          log.error({ repo: id, name: repo.fullName, lines }, 'git fsck found damage in a repository')
      }
    },
    async 'repos.collect'(_, signal) {
      for await (const id of walkRepoIds(read)) {
        signal.throwIfAborted()
        await collect(id)
      }
    },
    async 'repos.expire_deleted'(_, signal) {
      const to = clock.now() - KEPT_MS
      for (const id of await listReposWithDeletedRefs(read, to - DAY_MS, to)) {
        signal.throwIfAborted()
        await collect(id)
      }
    },
  }
}

/** One repository that cannot be worked on does not keep the others from their turn. */
export async function passing<T>(work: () => Promise<T>, onError: (error: unknown) => void): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isGitError(error)) throw error
    onError(error)
    return undefined
  }
}
