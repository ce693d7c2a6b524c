import { KeyedMutex } from '../../../core/platform/concurrency/lock-table.ts'
import { createPort } from '../../../core/platform/hook.ts'
import { defineModule } from '../../../core/module.ts'
import { createAgitProposals } from './agit/agit.service.ts'
import { mergedPullRule } from './edits/edit-pull.ts'
import { pullRefsCheck, reconcilePulls } from './lifecycle/pull-refs-check.ts'
import { syncPushedPulls } from './lifecycle/sync-branch.ts'
import { pullSubscriptions } from './lifecycle/pull.subscriber.ts'
import { pullJobs } from './lifecycle/pulls.jobs.ts'
import { pullListOperations } from './lists/pull-lists.operations.ts'
import { createPullLists } from './lists/pull-lists.service.ts'
import { updateRequestedMergeRefs } from './mergeability/merge-ref.ts'
import { createPullGuard, createPullsGuard, type PullGuard, type PullsGuard } from './pull.guards.ts'
import { pullProjections } from './pull.projection.ts'
import { listMaintainedHeads } from './records/records.store.ts'
import type { PullReviews, ReviewPort } from './pull-views.ts'
import { pullEvents } from './pulls.events.ts'
import { pullOperations } from './pulls.operations.ts'
import { createPulls, type Pulls } from './pulls.service.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly pulls: Pulls
    /** Registered by the module of reviews: the reviews that pull requests show. */
    readonly pullReviews: PullReviews
  }
  interface Guards {
    readonly pull: PullGuard
    readonly pulls: PullsGuard
  }
}

/** Pull requests: their rows, heads, and mergeability. */
export const module = defineModule({
  name: 'pulls',
  needs: [
    'branchWriters',
    'issueStateRules',
    'onDemandRefs',
    'postPushHooks',
    'pushProposals',
    'repoReconcilers',
    'repos',
  ],
  create(core, services, guards) {
    const { issueStateRules: stateRules, onDemandRefs, postPushHooks, pushProposals } = services
    const { branchWriters, repoReconcilers, repos } = services
    const { config, database, jobs, site } = core
    const { work_in_progress_prefixes: draftPrefixes, retarget_children_on_merge: retargets } = config.pull_request
    const reviews = createPort<ReviewPort>('reviews')
    const heads = new KeyedMutex({ name: 'pull-heads', locks: core.processes.locks })
    const deps = { ...core, repos, reviews, draftPrefixes, stateRules, retargets, heads }
    const pulls = createPulls(deps)
    branchWriters.heads.register(listMaintainedHeads)
    stateRules.register(mergedPullRule)
    pushProposals.register(createAgitProposals(deps))
    onDemandRefs.register((storage, names) => updateRequestedMergeRefs(deps, storage, names))
    postPushHooks.register((push) => syncPushedPulls(deps, push))
    repoReconcilers.register((forEachRepo) => forEachRepo((repoId) => reconcilePulls(deps, repoId)))
    const pullsGuard = createPullsGuard(guards.repo)
    const own = { pulls: pullsGuard, pull: createPullGuard(database, pullsGuard) }
    return {
      services: { pulls, pullReviews: reviews },
      guards: own,
      operations: [
        ...pullOperations({ guards: own, pulls, site }),
        ...pullListOperations({ guards: own, pulls, lists: createPullLists(database), site }),
      ],
      events: pullEvents,
      projections: pullProjections({ events: core.events, jobs, draftPrefixes }),
      subscriptions: pullSubscriptions(jobs),
      jobs: pullJobs(deps),
      checks: [pullRefsCheck(deps)],
    }
  },
})
