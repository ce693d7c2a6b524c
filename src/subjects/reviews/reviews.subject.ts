import { defineSubject } from '../subject.ts'
import { ownerJobs, ownerSubscriptions } from './owners/owners.jobs.ts'
import { loadRequestedTeams } from './requests/entry-teams.ts'
import { createReviewRequests } from './requests/requests.service.ts'
import { summarizeReviews } from './requests/review-summary.ts'
import { reviewEvents } from './reviews.events.ts'

/** Reviews of pull requests, and requests for them. */
export const subject = defineSubject({
  name: 'reviews',
  needs: ['pullReviews', 'timeline'],
  create({ config, database, clock, events, git, jobs, log, site }, { pullReviews, timeline }) {
    const { read } = database
    const { work_in_progress_prefixes: draftPrefixes } = config.pull_request
    const requests = createReviewRequests({ database, clock, events })
    pullReviews.register({
      summarize: (viewer, repo, ids) => summarizeReviews({ read, site }, { viewer, repo }, ids),
      prepareRequests: requests.prepareRequests,
    })
    timeline.registerDetails(['review_request'], loadRequestedTeams(read, site))
    return {
      events: reviewEvents,
      subscriptions: ownerSubscriptions({ jobs, draftPrefixes }),
      jobs: ownerJobs({ database, clock, events, git, log }),
    }
  },
})
