import { type DefaultUnits, namedUnits, withUnit } from '../../../core/access/repo-access.ts'
import { parseDuration } from '../../../core/platform/duration.ts'
import { type Core, defineModule, type Guards } from '../../../core/module.ts'
import { type CreateRepoGuards, createRepoCreationGuards } from './creation/create-repo.guards.ts'
import { createRepoOperations } from './creation/create.operations.ts'
import { flagOperations } from './flags/flags.operations.ts'
import { createRepoFlags } from './flags/flags.service.ts'
import { repoListOperations } from './lists/lists.operations.ts'
import { createRepoListJson } from './lists/repo-list-json.ts'
import { searchOperations } from './lists/search.operations.ts'
import { repoChangeOperations } from './changes/changes.operations.ts'
import { createRepoChanges, type RepoChanges } from './changes/repo-changes.service.ts'
import { createOrgRepos } from './deletion/delete-org-repos.ts'
import { createRepoFiles } from './deletion/repo-files.service.ts'
import type { RepoRules } from './repo-rules.ts'
import {
  createRepoByIdGuard,
  createRepoGuard,
  type RepoGuard,
  createTrackerGuard,
  type TrackerGuard,
} from './repo.guards.ts'
import { repoOperations, signingKeyOperations } from './repo.operations.ts'
import { repoEvents } from './repos.events.ts'
import { createRepoJobs } from './repos.jobs.ts'
import { createRepos, type Repos } from './repos.service.ts'
import { findRepoOwner, loadRepoUsage, selectOwnedRepoIds, suspendUnits } from './records/records.store.ts'
import { type BranchWriters, createBranchWriters } from './maintainers/find-delegate.ts'
import { userDeletingProjections } from './deletion/user-deleting.projection.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly branchWriters: BranchWriters
    readonly repoChanges: RepoChanges
    readonly repoRules: RepoRules
    readonly repos: Repos
  }
  interface Guards {
    readonly createRepo: CreateRepoGuards
    readonly repo: RepoGuard
    readonly repoById: ReturnType<typeof createRepoByIdGuard>
    readonly tracker: TrackerGuard
  }
}

/** Repositories: creation, settings, lists, flags and deletion. */
export const module = defineModule({
  name: 'repos',
  needs: ['orgs', 'ownedRepos', 'quota', 'quotaParts', 'signer', 'users'],
  async create(core, { orgs, ownedRepos, quota, quotaParts, signer, users }, earlier) {
    const { config, database, git, clock, log, events, jobs, secrets, site } = core
    const { repository, service } = config
    const disabledUnits = namedUnits(repository.disabled_repo_units)
    if (core.isServer && core.processes.isFirst) await database.transaction((tx) => suspendUnits(tx, disabledUnits))
    ownedRepos.register(selectOwnedRepoIds)
    quotaParts.usage.register(loadRepoUsage)
    quotaParts.ownerOf.register(findRepoOwner)
    const repoRules = readRepoRules(config)
    const rules = {
      forcePrivate: repository.force_private,
      disabledUnits,
      minMirrorInterval: minMirrorInterval(config),
    }
    const changing = { database, git, clock, events, jobs, secrets, rules, rootUrl: site.rootUrl }
    const repos = createRepos({ database, git, clock, events, quota, rules: repoRules, signer })
    const repoChanges = createRepoChanges(changing)
    const orgRepos = createOrgRepos(changing)
    const repoFiles = createRepoFiles({ database, git, clock, log, events, jobs })
    const repoFlags = createRepoFlags({ database })
    const repoGuard = createRepoGuard(repos)
    const json = createRepoListJson(site)
    const own = {
      createRepo: createRepoCreationGuards({ orgs, repos, users }),
      repo: repoGuard,
      repoById: createRepoByIdGuard(repoGuard, repos),
      tracker: createTrackerGuard(repoGuard),
    }
    const guards: Guards = { ...earlier, ...own }
    const exploreNeedsSignIn = service.explore_require_signin_view
    return {
      services: { branchWriters: createBranchWriters(database.read), repos, repoChanges, repoRules },
      guards: own,
      operations: [
        ...createRepoOperations({ guards, repos, site }),
        ...repoListOperations({ guards, repos, json, exploreNeedsSignIn }),
        ...repoOperations({ guards, repos, site }),
        ...searchOperations({ repos, json }),
        ...signingKeyOperations({ guards, signer }),
        ...repoChangeOperations({ guards, orgRepos, repoChanges, repos, site }),
        ...flagOperations({ guards, repoFlags, isEnabled: repository.enable_flags }),
      ],
      events: repoEvents,
      projections: userDeletingProjections,
      jobs: createRepoJobs({ orgRepos, repoFiles }),
      tasks: [
        {
          name: 'delete_lost_repository_files',
          schedule: '41 3 * * *',
          start: (tx) => jobs.enqueue(tx, 'repos.sweep', {}, { key: 'all' }),
        },
        {
          name: 'delete_missing_repos',
          schedule: '0 0 * * *',
          isOff: true,
          start: (tx) => jobs.enqueue(tx, 'repos.delete_missing', {}, { key: 'all' }),
        },
      ],
    }
  },
})

type Config = Core['config']

function readRepoRules({ repository, service }: Config): RepoRules {
  return {
    defaultBranch: repository.default_branch,
    maxCreation: repository.max_creation_limit,
    units: defaultUnits(repository),
    forcePrivate: repository.force_private,
    autoWatch: service.auto_watch_new_repos,
    pushCreate: {
      forUsers: repository.enable_push_create_user,
      forOrgs: repository.enable_push_create_org,
      isPrivate: repository.default_push_create_private,
    },
    noReplyDomain: service.no_reply_address,
  }
}

/** Templates get the units of ordinary repositories except Actions (behaviour/repositories#creating). */
function defaultUnits(repository: Config['repository']): DefaultUnits {
  const disabled = namedUnits(repository.disabled_repo_units)
  const normal = namedUnits(repository.default_repo_units, disabled)
  return {
    normal,
    template: withUnit(normal, 'repo.actions', false),
    fork: namedUnits(repository.default_fork_repo_units, disabled),
    mirror: namedUnits(repository.default_mirror_repo_units, disabled),
  }
}

function minMirrorInterval({ mirror: { min_interval: text } }: Config): number {
  const interval = parseDuration(text)
  if (interval === undefined) throw new Error(`mirror.min_interval: invalid duration "${text}"`)
  return interval
}
