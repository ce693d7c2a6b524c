import type { Database } from '../../db/database.ts'
import type { Git, PackCache } from '../../git/index.ts'
import type { JobHandlers } from '../../jobs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logger.ts'
import type { Languages } from '../languages/languages.service.ts'
import type { Pushes } from '../pushes/accept-push.ts'
import type { RepoFiles } from '../repos/repo-files.ts'
import { walkRepoIds } from '../repos/repo-walk.store.ts'
import { findRepoById, type Repo } from '../repos/repo.store.ts'
import { deleteActivities } from '../social/activity.store.ts'
import { passing } from './site-upkeep.job.ts'

export interface OnDemandDeps {
  readonly database: Database
  readonly clock: Clock
  readonly repoFiles: RepoFiles
  readonly git: Git
  readonly languages: Languages
  readonly log: Logger
  readonly pushes: Pushes
  readonly archiveCache: PackCache | undefined
}

const DAY_MS = 24 * 60 * 60_000
/** A heatmap shows a year and a week; a month more, for who looks at a feed. */
const FEEDS_KEPT_MS = 400 * DAY_MS

type Kinds =
  | 'activities.prune'
  | 'archives.clear'
  | 'archives.trim'
  | 'repos.delete_missing'
  | 'repos.reinit'
  | 'repos.relicense'
  | 'repos.remove_hooks'

/** Work that administrators start when something on the machine is not as it should be, or takes too much room. */
export function onDemandJobs({
  database,
  clock,
  git,
  languages,
  log,
  pushes,
  repoFiles,
  archiveCache,
}: OnDemandDeps): Pick<JobHandlers, Kinds> {
  const everyRepo = async (signal: AbortSignal, work: (repo: Repo) => Promise<void>): Promise<void> => {
    for await (const id of walkRepoIds(database.read)) {
      signal.throwIfAborted()
      const repo = await findRepoById(database.read, id)
      if (repo !== undefined)
        await passing(
          () => work(repo),
          (error) => log.error({ err: error, repo: id }, 'repository left out'),
        )
    }
  }
  return {
    async 'activities.prune'(_, signal) {
      const before = clock.now() - FEEDS_KEPT_MS
      while (!signal.aborted && (await database.transaction((tx) => deleteActivities(tx, before))) > 0);
    },
    async 'archives.clear'() {
      archiveCache?.clear()
    },
    async 'archives.trim'() {
      archiveCache?.clear(DAY_MS)
    },
    'repos.delete_missing': (_, signal) => repoFiles.deleteMissing(signal),
    'repos.reinit': (_, signal) =>
      everyRepo(signal, async (repo) => {
        if (await git.repoExists(repo.storage)) return
        await git.createRepo(repo.storage, repo)
        log.warn(
          { repo: repo.id, name: repo.fullName },
          'the git data was missing; made an empty repository in its place',
        )
        await pushes.reconcile(repo.id)
      }),
    'repos.relicense': (_, signal) => everyRepo(signal, (repo) => languages.refreshLicenses(repo.id)),
    'repos.remove_hooks': (_, signal) =>
      everyRepo(signal, async ({ storage }) => {
        await git.removeHooks(storage)
        await git.removeHooks(`${storage}.wiki`)
      }),
  }
}
