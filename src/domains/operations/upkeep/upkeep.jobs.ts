import type { Core } from '../../../core/module.ts'
import { Type } from '@sinclair/typebox'
import { abortOldUploads } from '../../../core/blobs/index.ts'
import { pruneEvents } from '../../../core/events/index.ts'
import {
  defineJob,
  type JobDefinitions,
  type JobPayloadsOf,
  type Jobs,
  type ScheduledTask,
} from '../../../core/jobs/index.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { type Repo, repoQueries } from '../../repositories/index.ts'
import { maintainRepo, type MaintainRepoDeps, measureRepo } from './maintain-repo.ts'
import { recountWrong } from './recount.ts'

type EveryRepoDeps = Pick<Core, 'database' | 'git' | 'log'>

interface Work {
  readonly signal: AbortSignal
  /** The log message for a repository for which git fails. */
  readonly failure: string
  /** All repositories if absent. */
  readonly ids?: readonly RepoId[] | undefined
  run(repo: Repo): Promise<void>
}

/** Checks every repository for damage, and logs findings. */
const checkEveryRepo = (deps: EveryRepoDeps, signal: AbortSignal): Promise<void> =>
  forEach(deps, {
    signal,
    failure: 'repository not checked',
    async run(repo) {
      const lines = await deps.git.check(repo, 'reachable')
      if (lines.length > 0)
        deps.log.error({ repo: repo.id, name: repo.fullName, lines }, 'git fsck found damage in a repository')
    },
  })

/** Repacks repositories and prunes unreachable objects; all of them unless `ids` is given. */
const collectGarbage = (deps: EveryRepoDeps, signal: AbortSignal, ids?: readonly RepoId[]): Promise<void> =>
  forEach(deps, {
    ids,
    signal,
    failure: 'repository not collected',
    async run(repo) {
      await deps.git.maintain(repo, 'full')
    },
  })

/** Deletes the programs in the hooks directories of repositories and wikis. */
const deleteHooksOfEveryRepo = (deps: EveryRepoDeps, signal: AbortSignal): Promise<void> =>
  forEach(deps, {
    signal,
    failure: 'repository left out',
    async run({ storage }) {
      await deps.git.removeHooks(storage)
      await deps.git.removeHooks(`${storage}.wiki`)
    },
  })

const forEach = ({ database, log }: EveryRepoDeps, { run, ...options }: Work): Promise<void> =>
  repoQueries.forEach({ database, log, ...options }, async (id) => {
    const repo = await repoQueries.findById(database.read, id)
    if (repo !== undefined) await run(repo)
  })

const Nothing = Type.Object({})
const OfRepo = Type.Object({ repo_id: Type.Integer() })

const payloads = {
  /** Recounts wrong counters. */
  'counters.recount': Nothing,
  /** Deletes events that every subscription has handled. */
  'events.prune': Nothing,
  /** Deletes temporary files of interrupted transfers. */
  'git.clean': Nothing,
  /** Packs and indexes a repository after pushes and measures it. */
  'repo.maintain': OfRepo,
  /** Measures the disk space of a repository and its wiki. */
  'repo.measure': OfRepo,
  /** Checks every repository for damage, and logs findings. */
  'repos.check': Nothing,
  /** Repacks every repository and prunes unreachable objects. */
  'repos.collect': Nothing,
  /** The same for repositories whose deleted branches and tags have expired. */
  'repos.expire_deleted': Nothing,
  /** Deletes the programs in hooks directories. */
  'repos.remove_hooks': Nothing,
  /** Aborts uploads to the bucket that a crash interrupted. */
  'storage.clean': Nothing,
}

declare module '../../../core/jobs/catalog.ts' {
  interface JobCatalog extends JobPayloadsOf<typeof payloads> {}
}

const DAY_MS = 24 * 60 * 60_000
/** Maintenance retains unreachable objects for two weeks; one day is added as a margin. */
const KEPT_MS = 15 * DAY_MS

export interface UpkeepJobDeps extends Pick<Core, 'clock' | 'blobs'>, MaintainRepoDeps, EveryRepoDeps {}

/** Background work on repositories and on the whole site. */
export function createUpkeepJobs(deps: UpkeepJobDeps): JobDefinitions {
  const { database, git, clock, log, blobs } = deps
  return {
    'counters.recount': defineJob(Nothing, async (_, signal) => {
      const { wrong, first } = await recountWrong(database, signal)
      if (wrong > 0) log.warn({ counters: wrong, first }, 'recounted wrong counters')
    }),
    'events.prune': defineJob(Nothing, () => pruneEvents(database, clock)),
    'git.clean': defineJob(Nothing, async () => {
      await git.cleanUp()
    }),
    'repo.maintain': defineJob(OfRepo, ({ repo_id }) => maintainRepo(deps, asId(repo_id))),
    'repo.measure': defineJob(OfRepo, ({ repo_id }) => measureRepo(deps, asId(repo_id))),
    'repos.check': defineJob(Nothing, (_, signal) => checkEveryRepo(deps, signal)),
    'repos.collect': defineJob(Nothing, (_, signal) => collectGarbage(deps, signal)),
    'repos.expire_deleted': defineJob(Nothing, async (_, signal) => {
      const to = clock.now() - KEPT_MS
      await collectGarbage(deps, signal, await repoQueries.listWithDeletedRefs(database.read, to - DAY_MS, to))
    }),
    'storage.clean': defineJob(Nothing, async () => {
      const aborted = await abortOldUploads(blobs, clock.now())
      if (aborted > 0) log.info({ uploads: aborted }, 'aborted unfinished uploads to the bucket')
    }),
    'repos.remove_hooks': defineJob(Nothing, (_, signal) => deleteHooksOfEveryRepo(deps, signal)),
  }
}

/** Scheduled by the clock, in UTC. */
export function upkeepTasks(jobs: Jobs): ScheduledTask[] {
  return [
    {
      name: 'clean_git_leftovers',
      schedule: '7 4 * * *',
      start: (tx) => jobs.enqueue(tx, 'git.clean', {}, { key: 'all' }),
    },
    {
      name: 'abort_old_uploads',
      schedule: '19 4 * * *',
      start: (tx) => jobs.enqueue(tx, 'storage.clean', {}, { key: 'all' }),
    },
    {
      name: 'delete_old_events',
      schedule: '17 3 * * *',
      start: (tx) => jobs.enqueue(tx, 'events.prune', {}, { key: 'all' }),
    },
    {
      name: 'check_repo_stats',
      schedule: '53 2 * * *',
      start: (tx) => jobs.enqueue(tx, 'counters.recount', {}, { key: 'all' }),
    },
    {
      name: 'deleted_branches_cleanup',
      schedule: '23 4 * * *',
      start: (tx) => jobs.enqueue(tx, 'repos.expire_deleted', {}, { key: 'all' }),
    },
    {
      name: 'git_gc_repos',
      schedule: '13 1 * * 0',
      start: (tx) => jobs.enqueue(tx, 'repos.collect', {}, { key: 'all' }),
    },
    {
      name: 'repo_health_check',
      schedule: '13 3 * * 6',
      start: (tx) => jobs.enqueue(tx, 'repos.check', {}, { key: 'all' }),
    },
    {
      name: 'resync_all_hooks',
      schedule: '0 0 * * *',
      isOff: true,
      start: (tx) => jobs.enqueue(tx, 'repos.remove_hooks', {}, { key: 'all' }),
    },
  ]
}
