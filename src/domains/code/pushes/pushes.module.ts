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
    /** A later module registers that a push can create pull requests. */
    readonly pushProposals: PushProposals
    /** Later modules register refs that are written when a client requests them by name. */
    readonly onDemandRefs: OnDemandRefs
    /** Later modules register what runs after a push is recorded and before it is answered. */
    readonly postPushHooks: PostPushHooks
    /** Later modules add their own comparisons of rows with the disk. */
    readonly repoReconcilers: RepoReconcilers
  }
  interface Tuning {
    readonly bundleMinBytes: number
  }
}

/** Pushes: settings of the git transports, the rules for refs, and the records of moved refs. */
export const module = defineModule({
  name: 'pushes',
  needs: ['quota', 'repoChanges', 'verifier'],
  async create(core, { quota, repoChanges, verifier }) {
    const { config, database, git, clock, events, jobs, log, site } = core
    const pushProposals = createPort<AgitProposals>('pull requests that pushes create')
    const postPushHooks = createPostPushHooks(log)
    const onDemandRefs = createOnDemandRefs(log)
    const pushes = createPushes({
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

/** Git processes of all workers that serve transfers at one time; further clients wait. */
const MAX_PROCESSES = 16
/** After which a git process that is silent is ended. */
const MAX_SILENCE_MS = 600_000
/** Bytes of packs from which a repository gets a bundle, which takes as much again. */
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
