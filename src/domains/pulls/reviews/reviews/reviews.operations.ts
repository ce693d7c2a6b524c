import { Type } from '@sinclair/typebox'
import { listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Core, Guards } from '../../../../core/module.ts'
import { readComment } from '../comments/locate-comments.ts'
import { reviewGuard } from '../review.guards.ts'
import type { Reviews } from '../reviews.service.ts'
import {
  CreatePullReviewOptions,
  DismissPullReviewOptions,
  PullReview,
  SubmitPullReviewOptions,
} from './review.model.ts'
import { readVerdict } from '../reviews.policy.ts'
import { presentReview } from '../reviews.present.ts'

const LIST = '/repos/{owner}/{repo}/pulls/{index:int}/reviews'
const ONE = `${LIST}/{id:int}`
const common = { area: 'repository', scopes: ['repository'] } as const

interface ReviewOperationDeps extends Pick<Core, 'database' | 'site'> {
  readonly guards: Pick<Guards, 'pull'>
  readonly reviews: Reviews
}

/** Reviews of pull requests (behaviour/pull-requests#reviews). */
export const reviewOperations = (deps: ReviewOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...postOperations(deps),
  ...dismissalOperations(deps),
]

function readOperations({ guards, database, reviews, site }: ReviewOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'repoListPullReviews',
      method: 'GET',
      path: LIST,
      summary: 'Reviews of a pull request and requests for them, the oldest first',
      guard: guards.pull('read'),
      query: Type.Object(pagingMembers),
      responses: { 200: Type.Array(PullReview) },
      errors: [403, 404],
      async handler({ access, viewer, paging }) {
        const page = await reviews.list(viewer, access, paging)
        const items = page.items.map((view) => presentReview(view, viewer, site))
        return listed(page, items, { link: false })
      },
    }),
    defineOperation({
      ...common,
      id: 'repoGetPullReview',
      method: 'GET',
      path: ONE,
      summary: 'A review of a pull request',
      guard: reviewGuard(database, guards.pull('read')),
      responses: { 200: PullReview },
      errors: [403, 404],
      handler: async ({ access, viewer }) => ok(presentReview(await reviews.view(access), viewer, site)),
    }),
  ]
}

function postOperations({ guards, database, reviews, site }: ReviewOperationDeps): Operation[] {
  const own = guards.pull('read', { needsUser: true })
  return [
    defineOperation({
      ...common,
      id: 'repoCreatePullReview',
      method: 'POST',
      path: LIST,
      summary: 'Review a pull request, or continue the own pending review',
      guard: own,
      body: CreatePullReviewOptions,
      responses: { 200: PullReview },
      errors: [403, 404, 413, 422],
      async handler({ access, viewer, body: { event, body = '', commit_id, comments = [] } }) {
        const input = {
          verdict: readVerdict(event),
          body,
          commitOid: commit_id === '' ? undefined : commit_id,
          comments: comments.map(readComment),
        }
        return ok(presentReview(await reviews.create(requireUser(viewer), access, input), viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoSubmitPullReview',
      method: 'POST',
      path: ONE,
      summary: 'Submit the own pending review',
      guard: reviewGuard(database, own),
      body: SubmitPullReviewOptions,
      responses: { 200: PullReview },
      errors: [403, 404, 413, 422],
      async handler({ access, viewer, body: { event, body = '' } }) {
        const input = { verdict: readVerdict(event), body }
        return ok(presentReview(await reviews.submit(requireUser(viewer), access, input), viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoDeletePullReview',
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a review with its comments',
      guard: reviewGuard(database, own),
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access, viewer }) {
        await reviews.delete(requireUser(viewer), access)
        return noContent()
      },
    }),
  ]
}

function dismissalOperations({ guards, database, reviews, site }: ReviewOperationDeps): Operation[] {
  const guard = reviewGuard(database, guards.pull('admin', { refusal: 'Must be repo admin' }))
  return [
    defineOperation({
      ...common,
      id: 'repoDismissPullReview',
      method: 'POST',
      path: `${ONE}/dismissals`,
      summary: 'Dismiss an approval or a rejection',
      guard,
      body: DismissPullReviewOptions,
      responses: { 200: PullReview },
      errors: [403, 404, 413, 422],
      async handler({ access, viewer, body: { message = '', priors = false } }) {
        const view = await reviews.dismiss(requireUser(viewer), access, { message, withPriors: priors })
        return ok(presentReview(view, viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoUnDismissPullReview',
      method: 'POST',
      path: `${ONE}/undismissals`,
      summary: 'Make a dismissed approval or rejection count again',
      guard,
      responses: { 200: PullReview },
      errors: [403, 404],
      handler: async ({ access, viewer }) =>
        ok(presentReview(await reviews.undismiss(requireUser(viewer), access), viewer, site)),
    }),
  ]
}
