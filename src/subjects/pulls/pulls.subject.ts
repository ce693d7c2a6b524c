import { defineSubject } from '../subject.ts'
import { createPullGuard, createPullsGuard, type PullGuard, type PullsGuard } from './pull.guards.ts'
import { pullProjections } from './pull.projection.ts'
import { createPullReviews, type PullReviews } from './review-port.ts'
import { pullEvents } from './pulls.events.ts'
import { pullOperations } from './pulls.operations.ts'
import { createPulls, type Pulls } from './pulls.service.ts'

declare module '../subject.ts' {
  interface Services {
    readonly pulls: Pulls
    /** The subject of reviews registers what pull requests show of them. */
    readonly pullReviews: PullReviews
  }
  interface Guards {
    readonly pull: PullGuard
    readonly pulls: PullsGuard
  }
}

/** Pull requests: their rows, heads, and whether they can be merged. */
export const subject = defineSubject({
  name: 'pulls',
  needs: ['repos'],
  create({ config, database, clock, events, git, site }, { repos }, guards) {
    const reviews = createPullReviews()
    const draftPrefixes = config.pull_request.work_in_progress_prefixes
    const pulls = createPulls({ database, clock, events, git, repos, reviews, draftPrefixes })
    const pullsGuard = createPullsGuard(guards.repo)
    const own = { pulls: pullsGuard, pull: createPullGuard(database, pullsGuard) }
    return {
      services: { pulls, pullReviews: reviews },
      guards: own,
      operations: pullOperations({ guards: own, pulls, site }),
      events: pullEvents,
      projections: pullProjections(draftPrefixes),
    }
  },
})
