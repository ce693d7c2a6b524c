import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { parseOptionalTimestamp } from '../../../../core/platform/timestamp.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import { readKinds, isComment, isText } from '../issue.policy.ts'
import { readUpdateSpan, updateSpanMembers } from '../timeline/update-span.ts'
import type { EntryInView } from './comment.guards.ts'
import { Comment, CreateIssueCommentOption, EditIssueCommentOption } from '../issues.model.ts'
import { commentPresenter, presentComment } from '../issues.present.ts'
import type { CommentInput, CommentInView, Comments, TextInView } from './comments.service.ts'

const ISSUES = '/repos/{owner}/{repo}/issues'
const OF_ISSUE = `${ISSUES}/{index:int}/comments`
const ONE = `${ISSUES}/comments/{id:int}`

interface CommentOperationDeps {
  readonly guards: Pick<Guards, 'comment' | 'issue' | 'repo'>
  readonly comments: Comments
  readonly site: Site
}

const common = { area: 'issue', scopes: ['issue'] } as const

/** Comments on issues and pull requests (behaviour/issues#comments). */
export const commentOperations = (deps: CommentOperationDeps): Operation[] => [
  ...listOperations(deps),
  ...readOperations(deps),
  ...editOperations(deps, {
    edit: 'issueEditComment',
    delete: 'issueDeleteComment',
    path: ONE,
    archived: { archived: 'refuse' },
  }),
  // COMPAT: here the number is ignored, and archived repositories accept edits (test/issues/comments.test.ts).
  ...editOperations(deps, {
    edit: 'issueEditCommentDeprecated',
    delete: 'issueDeleteCommentDeprecated',
    path: `${OF_ISSUE}/{id:int}`,
    archived: {},
  }),
]

function listOperations({ guards, comments, site }: CommentOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueGetRepoComments',
      method: 'GET',
      path: `${ISSUES}/comments`,
      summary: 'Comments on the issues and pull requests of a repository, the oldest first',
      guard: guards.repo('see', { unit: 'repo.issues' }),
      query: Type.Object({ ...pagingMembers, ...updateSpanMembers }),
      responses: { 200: Type.Array(Comment) },
      errors: [404, 422],
      async handler({ access, query, paging }) {
        const filter = { span: readUpdateSpan(query), kinds: readKinds(access) }
        const page = await comments.listOfRepo(access.repo, filter, paging)
        return listed(page, page.items.map(commentPresenter(site)), { link: false })
      },
    }),
    defineOperation({
      ...common,
      id: 'issueGetComments',
      method: 'GET',
      path: OF_ISSUE,
      summary: 'All comments on an issue, the oldest first',
      guard: guards.issue('read'),
      query: Type.Object(updateSpanMembers),
      responses: { 200: Type.Array(Comment) },
      errors: [404, 422],
      async handler({ access, query }) {
        const views = await comments.listOfIssue(access, readUpdateSpan(query))
        const items = views.map(commentPresenter(site))
        return listed({ items, total: items.length }, items, { link: false })
      },
    }),
  ]
}

function readOperations({ guards, comments, site }: CommentOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueCreateComment',
      method: 'POST',
      path: OF_ISSUE,
      summary: 'Comment on an issue',
      guard: guards.issue('read', { needsUser: true, archived: 'refuse' }),
      body: CreateIssueCommentOption,
      responses: { 201: Comment },
      errors: [403, 404, 422, 423],
      async handler({ access, viewer, body }) {
        const view = await comments.create(requireUser(viewer), access, readInput(body))
        return created(presentComment(view, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'issueGetComment',
      method: 'GET',
      path: ONE,
      summary: 'A comment; 204 for other entries of the timeline',
      guard: guards.comment('read'),
      responses: { 200: Comment, 204: null },
      errors: [403, 404],
      async handler({ access }) {
        const target = plainCommentOf(access)
        return target === undefined ? noContent() : ok(presentComment(await comments.view(target), site))
      },
    }),
  ]
}

interface EditPath {
  /** Ids of the operations. */
  readonly edit: string
  readonly delete: string
  readonly path: typeof ONE | `${typeof OF_ISSUE}/{id:int}`
  readonly archived: { readonly archived?: 'refuse' }
}

function editOperations(
  { guards, comments, site }: CommentOperationDeps,
  { edit, delete: deletion, path, archived }: EditPath,
): Operation[] {
  return [
    defineOperation({
      ...common,
      id: edit,
      method: 'PATCH',
      path,
      summary: 'Edit a comment; 204 without effect for an event of the timeline',
      guard: guards.comment('edit', archived),
      body: EditIssueCommentOption,
      responses: { 200: Comment, 204: null },
      errors: [403, 404, 422, ...(archived.archived ? [423] : [])],
      async handler({ access, viewer, body }) {
        const target = textOf(access)
        if (target === undefined) return noContent()
        return ok(presentComment(await comments.edit(requireUser(viewer), target, readInput(body)), site))
      },
    }),
    defineOperation({
      ...common,
      id: deletion,
      method: 'DELETE',
      path,
      summary: 'Delete a comment with its files; without effect for an event of the timeline',
      guard: guards.comment('edit'),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer }) {
        const target = textOf(access)
        if (target !== undefined) await comments.delete(requireUser(viewer), target)
        return noContent()
      },
    }),
  ]
}

/** COMPAT: undefined for comments of reviews, too (test/pulls/reviews/comments.test.ts). */
const plainCommentOf = ({ entry, ...target }: EntryInView): CommentInView | undefined =>
  isComment(entry) && entry.kind === 'comment' ? { ...target, comment: entry } : undefined

const textOf = ({ entry, ...target }: EntryInView): TextInView | undefined =>
  isText(entry) ? { ...target, comment: entry } : undefined

const readInput = (body: { readonly body: string; readonly updated_at?: string | undefined }): CommentInput => ({
  body: body.body,
  updatedAt: parseOptionalTimestamp(body.updated_at),
})
