import { type Static, Type } from '@sinclair/typebox'
import type { Db } from '../../../../core/db/database.ts'
import { created, noContent } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { WantedReviewers } from '../../pulls/pull-views.ts'
import type { Guards } from '../../../../core/module.ts'
import { PullReview } from '../reviews/review.model.ts'
import { presentReview } from '../reviews.present.ts'
import { loadReviewViews } from '../reviews/review-views.ts'
import { PullReviewRequestOptions } from '../reviews.model.ts'
import type { ReviewRequests } from './requests.service.ts'

const common = {
  area: 'repository',
  scopes: ['repository'],
  path: '/repos/{owner}/{repo}/pulls/{index:int}/requested_reviewers',
  body: PullReviewRequestOptions,
} as const

interface RequestOperationDeps {
  readonly guards: Pick<Guards, 'pull'>
  readonly read: Db
  readonly requests: ReviewRequests
  readonly site: Site
}

/** Requests for reviews (behaviour/pull-requests#requested-reviewers). */
export const requestOperations = ({ guards, read, requests, site }: RequestOperationDeps): Operation[] => [
  defineOperation({
    ...common,
    id: 'repoCreatePullReviewRequests',
    method: 'POST',
    summary: 'Ask persons and teams for reviews; answers the new requests',
    guard: guards.pull('read', { needsUser: true }),
    responses: { 201: Type.Array(PullReview) },
    errors: [403, 404, 422],
    async handler({ access, viewer, body }) {
      const added = await requests.add(requireUser(viewer), access, wantedOf(body))
      const views = await loadReviewViews(read, access, added)
      return created(views.map((view) => presentReview(view, viewer, site)))
    },
  }),
  defineOperation({
    ...common,
    id: 'repoDeletePullReviewRequests',
    method: 'DELETE',
    summary: 'Withdraw requests for reviews; 204 also for those that were not asked',
    guard: guards.pull('read', { needsUser: true }),
    responses: { 204: null },
    errors: [403, 404, 422],
    async handler({ access, viewer, body }) {
      await requests.delete(requireUser(viewer), access, wantedOf(body))
      return noContent()
    },
  }),
]

const wantedOf = (body: Static<typeof PullReviewRequestOptions>): WantedReviewers => ({
  reviewers: body.reviewers ?? [],
  teams: body.team_reviewers ?? [],
})
