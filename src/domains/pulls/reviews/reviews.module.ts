import { defineModule } from '../../../core/module.ts'
import { reviewCommentOperations } from './comments/review-comments.operations.ts'
import { createReviewComments, type ReviewComments } from './comments/review-comments.service.ts'
import { ownerJobs, pushJobs } from './reviews.jobs.ts'
import { loadRequestedTeams } from './requests/entry-teams.ts'
import { requestOperations } from './requests/requests.operations.ts'
import { requestProjections, formerBaseProjections, reviewTextProjections } from './reviews.projection.ts'
import { createReviewRequests } from './requests/requests.service.ts'
import { summarizeReviews } from './requests/review-summary.ts'
import { loadReviewState } from './records/review-state.ts'
import { reviewEvents } from './reviews.events.ts'
import { reviewSubscriptions } from './reviews.subscriber.ts'
import { createReviews, type Reviews } from './reviews.service.ts'
import { reviewOperations } from './reviews/reviews.operations.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly reviews: Reviews
    readonly reviewComments: ReviewComments
  }
}

/** Reviews of pull requests, and requests for them. */
export const module = defineModule({
  name: 'reviews',
  needs: ['attachments', 'pullReviews', 'textReferences', 'timeline'],
  create(core, { attachments, pullReviews, textReferences: texts, timeline }, guards) {
    const { config, database, clock, events, git, jobs, log, site } = core
    const { read } = database
    const { work_in_progress_prefixes: draftPrefixes } = config.pull_request
    const deps = { database, clock, events, git, log, attachments, texts }
    const requests = createReviewRequests({ database, clock, events })
    pullReviews.register({
      state: (pullId, options) => loadReviewState(read, pullId, options),
      summarize: (viewer, repo, ids) => summarizeReviews({ read, site }, { viewer, repo }, ids),
      prepareRequests: requests.prepareRequests,
    })
    timeline.registerDetails(['review_request'], loadRequestedTeams(read, site))
    const [reviews, reviewComments] = [createReviews(deps), createReviewComments(deps)]
    return {
      services: { reviews, reviewComments },
      operations: [
        ...reviewOperations({ guards, database, reviews, site }),
        ...requestOperations({ guards, read, requests, site }),
        ...reviewCommentOperations({ guards, database, comments: reviewComments, site }),
      ],
      events: reviewEvents,
      projections: { ...formerBaseProjections, ...requestProjections, ...reviewTextProjections },
      subscriptions: reviewSubscriptions({ jobs, draftPrefixes }),
      jobs: { ...ownerJobs({ database, clock, events, git, log }), ...pushJobs(deps) },
    }
  },
})
