import { Type } from '@sinclair/typebox'
import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Core, Guards } from '../../../../core/module.ts'
import { reviewCommentGuard, reviewGuard } from '../review.guards.ts'
import { readComment } from './locate-comments.ts'
import {
  CreatePullReviewCommentOptions,
  CreatePullReviewCommentReplyOptions,
  PullReviewComment,
} from '../reviews.model.ts'
import { presentReviewComment } from '../reviews.present.ts'
import type { ReviewComments } from './review-comments.service.ts'

const PULLS = '/repos/{owner}/{repo}/pulls'
const LIST = `${PULLS}/{index:int}/reviews/{id:int}/comments`
const ONE = `${LIST}/{comment:int}`
const common = { area: 'repository', scopes: ['repository'] } as const

interface ReviewCommentOperationDeps extends Pick<Core, 'database' | 'site'> {
  readonly guards: Pick<Guards, 'pull' | 'pulls'>
  readonly comments: ReviewComments
}

/** Comments of reviews (behaviour/pull-requests#review-comments). */
export const reviewCommentOperations = (deps: ReviewCommentOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
  resolution(deps, { id: 'repoResolvePullReviewComment', word: 'resolve', isResolved: true }),
  resolution(deps, { id: 'repoUnresolvePullReviewComment', word: 'unresolve', isResolved: false }),
]

function readOperations({ guards, database, comments, site }: ReviewCommentOperationDeps): Operation[] {
  const reader = guards.pull('read')
  return [
    defineOperation({
      ...common,
      id: 'repoGetPullReviewComments',
      method: 'GET',
      path: LIST,
      summary: 'All comments of a review, the oldest first',
      guard: reviewGuard(database, reader),
      responses: { 200: Type.Array(PullReviewComment) },
      errors: [403, 404],
      handler: async ({ access, viewer }) =>
        ok((await comments.list(access)).map((view) => presentReviewComment(view, viewer, site))),
    }),
    defineOperation({
      ...common,
      id: 'repoGetPullReviewComment',
      method: 'GET',
      path: ONE,
      summary: 'A comment of a review',
      guard: reviewCommentGuard(database, reader),
      responses: { 200: PullReviewComment },
      errors: [403, 404],
      handler: async ({ access, viewer }) => ok(presentReviewComment(await comments.view(access), viewer, site)),
    }),
  ]
}

function writeOperations({ guards, database, comments, site }: ReviewCommentOperationDeps): Operation[] {
  const user = guards.pull('read', { needsUser: true })
  return [
    defineOperation({
      ...common,
      id: 'repoCreatePullReviewComment',
      method: 'POST',
      path: LIST,
      summary: 'Add a comment to a review',
      guard: reviewGuard(database, user),
      body: CreatePullReviewCommentOptions,
      responses: { 200: PullReviewComment },
      errors: [403, 404, 413, 422],
      handler: async ({ access, viewer, body }) =>
        ok(presentReviewComment(await comments.add(requireUser(viewer), access, readComment(body)), viewer, site)),
    }),
    defineOperation({
      ...common,
      id: 'repoDeletePullReviewComment',
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a comment of a review',
      guard: reviewCommentGuard(database, user),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer }) {
        await comments.delete(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'repoCreatePullReviewCommentReply',
      method: 'POST',
      path: `${PULLS}/{index:int}/comments/{id:int}/replies`,
      summary: 'ApiResponse a comment of a review at the same line',
      guard: guards.pull('read', { needsUser: true, archived: 'refuse' }),
      body: CreatePullReviewCommentReplyOptions,
      responses: { 201: PullReviewComment },
      errors: [400, 403, 404, 413, 422, 423],
      async handler({ access, viewer, params, body }) {
        const view = await comments.reply(requireUser(viewer), access, params.id, body.body)
        return created(presentReviewComment(view, viewer, site))
      },
    }),
  ]
}

interface Resolution {
  readonly id: string
  readonly word: 'resolve' | 'unresolve'
  readonly isResolved: boolean
}

const resolution = (
  { guards, comments }: ReviewCommentOperationDeps,
  { id, word, isResolved }: Resolution,
): Operation =>
  defineOperation({
    ...common,
    id,
    method: 'POST',
    path: `${PULLS}/comments/{id:int}/${word}`,
    summary: isResolved ? 'Mark a comment of a review as resolved' : 'Mark a comment of a review as not resolved',
    guard: guards.pulls({ needsUser: true, archived: 'refuse' }),
    responses: { 204: null },
    errors: [400, 403, 404, 423],
    async handler({ access, viewer, params }) {
      await comments.resolve(requireUser(viewer), access, { id: params.id, isResolved })
      return noContent()
    },
  })
