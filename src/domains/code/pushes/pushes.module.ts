import { ownDirectory, shareOf } from '../../../core/platform/concurrency/processes.ts'
import { join } from 'node:path'
import type { Config } from '../../../core/config/index.ts'
import { createHook, createPort } from '../../../core/platform/hook.ts'
import { type Core, defineModule } from '../../../core/module.ts'
import { createGitTransport, type GitTransport, type GitTransportSettings } from './git-transport.service.ts'
import { createOnDemandRefs, createPostPushHooks, type OnDemandRefs, type PostPushHooks } from './post-receive.ts'
import type { AgitProposals, PushProposals } from './push-proposals.service.ts'
import { pushEvents } from './pushes.events.ts'
import { createPushJobs, pushTasks } from './pushes.jobs.ts'
import { createPushes, type Pushes } from './pushes.service.ts'
import { reconcileRepos, reinitMissingRepos, type RepoReconcilers } from './reconcile-repos.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly gitTransport: GitTransport
    readonly pushes: Pushes
    /** The port at which a later module registers the creation of pull requests by pushes. */
    readonly pushProposals: PushProposals
    /** Later modules register refs that are written on request by name. */
    readonly onDemandRefs: OnDemandRefs
    /** Later modules register hooks that run after a push is recorded and before the response. */
    readonly postPushHooks: PostPushHooks
    /** Later modules register their own comparisons of rows with the disk. */
    readonly repoReconcilers: RepoReconcilers
  }
  interface Tuning {
    readonly bundleMinBytes: number
  }
}

/** Pushes: settings of the git transports, the rules for refs, and the records of updated refs. */
export const module = defineModule({
  name: 'pushes',
  needs: ['branchWriters', 'quota', 'repoChanges', 'verifier'],
  async create(core, { branchWriters, quota, repoChanges, verifier }) {
    const { config, database, git, clock, events, jobs, log, site } = core
    const pushProposals = createPort<AgitProposals>('pull requests that pushes create')
    const postPushHooks = createPostPushHooks(log)
    const onDemandRefs = createOnDemandRefs(log)
    const pushes = createPushes({
      branchWriters,
      database,
      git,
      clock,
      events,
      log,
      quota,
      verifier,
      proposals: pushProposals,
      hooks: postPushHooks,
      locks: core.processes.locks,
      printsPullUrls: config.git.pull_request_push_message,
      rootUrl: site.rootUrl,
      editRepo: repoChanges.edit,
    })
    const gitTransport = await createGitTransport({
      git,
      clock,
      log,
      settings: transportSettings(config, core),
      onDemandRefs,
      rootUrl: site.rootUrl,
    })
    const repoReconcilers: RepoReconcilers = createHook()
    repoReconcilers.register((forEachRepo) => forEachRepo(pushes.reconcile))
    return {
      services: { gitTransport, onDemandRefs, postPushHooks, pushes, pushProposals, repoReconcilers },
      events: pushEvents,
      jobs: createPushJobs({
        reconcileAll: (signal) => reconcileRepos(core, repoReconcilers, signal),
        reinitMissing: (signal) => reinitMissingRepos({ database, git, log, pushes }, signal),
      }),
      tasks: pushTasks(jobs),
      recover: () => database.transaction((tx) => jobs.enqueue(tx, 'repos.reconcile', {}, { key: 'all' })),
    }
  },
})

/** The maximum number of git processes that serve transfers in all workers; further clients wait. */
const MAX_PROCESSES = 16
/** Milliseconds without output after which a git process is killed. */
const MAX_SILENCE_MS = 600_000
/** The minimum pack size in bytes for a repository to have a bundle, which takes the same space again. */
const BUNDLE_MIN_BYTES = 512 * 1024 ** 2

function transportSettings(
  { git, repository, service }: Config,
  { cacheDir, isServer, processes, tuning }: Pick<Core, 'cacheDir' | 'isServer' | 'processes' | 'tuning'>,
): GitTransportSettings {
  return {
    maxProcesses: shareOf(MAX_PROCESSES, processes.count),
    idleMs: MAX_SILENCE_MS,
    maxPushSize: git.max_push_size,
    packCache:
      isServer && git.pack_cache_size > 0
        ? { dir: ownDirectory(processes, join(cacheDir, 'packs')), maxBytes: git.pack_cache_size }
        : undefined,
    bundleMinBytes:
      git.pack_cache_size > 0 && !repository.disable_http_git ? (tuning.bundleMinBytes ?? BUNDLE_MIN_BYTES) : undefined,
    requireSignIn: service.require_signin_view,
  }
}
