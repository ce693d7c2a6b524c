import { Type } from '@sinclair/typebox'
import type { Viewer } from '../../../core/access/viewer.ts'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { userPresenters } from '../../accounts/index.ts'
import type { Guards } from '../../../core/module.ts'
import { EditReactionOption, Reaction } from './reaction.model.ts'
import { commentReactionGuards, issueReactionGuards, type ReactionGuards } from './reactions.guards.ts'
import type { Reactions, ReactionView } from './reactions.service.ts'

const ISSUE = '/repos/{owner}/{repo}/issues/{index:int}/reactions'
const COMMENT = '/repos/{owner}/{repo}/issues/comments/{id:int}/reactions'

interface ReactionOperationDeps {
  readonly guards: Pick<Guards, 'issue' | 'comment'>
  readonly reactions: Reactions
  readonly site: Site
}

const common = { area: 'issue', scopes: ['issue'] } as const

/** Reactions to issues and comments (behaviour/issues#reactions). */
export function reactionOperations(deps: ReactionOperationDeps): Operation[] {
  const ofIssues = issueReactionGuards(deps.guards)
  const ofComments = commentReactionGuards(deps.guards)
  return [
    ...listOperations(deps, { issue: ofIssues, comment: ofComments }),
    ...changeOperations(deps, { path: ISSUE, what: 'Issue', guards: ofIssues }),
    ...changeOperations(deps, { path: COMMENT, what: 'Comment', guards: ofComments }),
  ]
}

const present = ({ reaction, user }: ReactionView, viewer: Viewer, site: Site): Reaction => ({
  user: reaction.originalAuthor
    ? userPresenters.presentStranger(reaction.originalAuthor.login, site)
    : userPresenters.present(user, viewer, site),
  content: reaction.content,
  created_at: wireTime(reaction.createdAt),
})

function listOperations(
  { reactions, site }: ReactionOperationDeps,
  guards: { readonly issue: ReactionGuards; readonly comment: ReactionGuards },
): Operation[] {
  const list = { ...common, method: 'GET', responses: { 200: Type.Array(Reaction) }, errors: [404] } as const
  return [
    defineOperation({
      ...list,
      id: 'issueGetIssueReactions',
      path: ISSUE,
      summary: 'Reactions to an issue, the oldest first',
      guard: guards.issue.read,
      query: pagingQuery,
      async handler({ access, viewer, paging }) {
        const page = await reactions.list(access, paging)
        return listed(
          page,
          page.items.map((view) => present(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...list,
      id: 'issueGetCommentReactions',
      path: COMMENT,
      summary: 'Reactions to a comment, the oldest first',
      guard: guards.comment.read,
      async handler({ access, viewer }) {
        const views = await reactions.listAll(access)
        return ok(views.map((view) => present(view, viewer, site)))
      },
    }),
  ]
}

interface Kind {
  readonly path: string
  /** A part of the operation ids. */
  readonly what: 'Issue' | 'Comment'
  readonly guards: ReactionGuards
}

function changeOperations({ reactions, site }: ReactionOperationDeps, { path, what, guards }: Kind): Operation[] {
  const change = { ...common, path, guard: guards.change, body: EditReactionOption, errors: [403, 404, 422] } as const
  return [
    defineOperation({
      ...change,
      id: `issuePost${what}Reaction`,
      method: 'POST',
      summary: `React to ${what === 'Issue' ? 'an issue' : 'a comment'}; 200 when the reaction was there`,
      responses: { 200: Reaction, 201: Reaction },
      async handler({ access, viewer, body }) {
        const { view, isNew } = await reactions.add(requireUser(viewer), access, body.content ?? '')
        const model = present(view, viewer, site)
        return isNew ? created(model) : ok(model)
      },
    }),
    defineOperation({
      ...change,
      id: `issueDelete${what}Reaction`,
      method: 'DELETE',
      summary: 'Delete the own reaction; 204 also when there is none',
      responses: { 204: null },
      async handler({ access, viewer, body }) {
        await reactions.delete(requireUser(viewer), access, body.content ?? '')
        return noContent()
      },
    }),
  ]
}
