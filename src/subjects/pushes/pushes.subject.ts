import { join } from 'node:path'
import type { Config } from '../../config/index.ts'
import { type Core, defineSubject } from '../subject.ts'
import { createPushes, type Pushes } from './accept-push.ts'
import { createPushProposals, type PushProposals } from './agit.ts'
import { createGitTransport, type GitTransport, type GitTransportSettings } from './git-transport.ts'
import { pushEvents } from './pushes.events.ts'
import { createPushJobs, pushTasks } from './pushes.jobs.ts'
import { createRepoReconcilers, reinitMissingRepos, type RepoReconcilers } from './reconcile-repos.ts'

declare module '../subject.ts' {
  interface Services {
    readonly gitTransport: GitTransport
    readonly pushes: Pushes
    /** Later subjects register here that pull requests can be made by a push. */
    readonly pushProposals: PushProposals
    /** Later subjects add what else is compared with its rows after a crash. */
    readonly repoReconcilers: RepoReconcilers
  }
}

/** Pushes: what git transports serve from, the rules for refs, and what the database stores of them. */
export const subject = defineSubject({
  name: 'pushes',
  needs: ['quota', 'repoChanges', 'verifier'],
  async create(core, { quota, repoChanges, verifier }) {
    const { config, database, git, clock, events, jobs, log, site } = core
    const pushProposals = createPushProposals()
    const pushes = createPushes({
      database,
      git,
      clock,
      events,
      log,
      quota,
      verifier,
      proposals: pushProposals,
      givesHints: config.git.pull_request_push_message,
      rootUrl: site.rootUrl,
      editRepo: repoChanges.edit,
    })
    const gitTransport = await createGitTransport({
      git,
      clock,
      log,
      settings: transportSettings(config, core),
      rootUrl: site.rootUrl,
    })
    const repoReconcilers = createRepoReconcilers({ database, log, pushes })
    return {
      services: { gitTransport, pushes, pushProposals, repoReconcilers },
      events: pushEvents,
      jobs: createPushJobs({
        reconcileAll: repoReconcilers.reconcileAll,
        reinitMissing: (signal) => reinitMissingRepos({ database, git, log, pushes }, signal),
      }),
      tasks: pushTasks(jobs),
      recover: () => database.transaction((tx) => jobs.enqueue(tx, 'repos.reconcile', {}, { key: 'all' })),
    }
  },
})

function transportSettings(
  { git, repository, service }: Config,
  { dataDir, isServer }: Pick<Core, 'dataDir' | 'isServer'>,
): GitTransportSettings {
  return {
    maxProcesses: git.max_processes,
    idleMs: git.timeout * 1000,
    maxPushSize: git.max_push_size,
    packCache:
      isServer && git.pack_cache_size > 0
        ? { dir: join(dataDir, 'cache', 'packs'), maxBytes: git.pack_cache_size }
        : undefined,
    bundleMinBytes: git.bundle_uri && !repository.disable_http_git ? git.bundle_uri_min_size : undefined,
    requireSignIn: service.require_signin_view,
  }
}
