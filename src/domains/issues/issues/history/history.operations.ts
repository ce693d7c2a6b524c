import { type Static, Type } from '@sinclair/typebox'
import { ANONYMOUS } from '../../../../core/access/viewer.ts'
import { type ApiResponse, listed } from '../../../../core/http/answer/answer.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { wireTime } from '../../../../core/platform/clock.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { UserModel, userPresenters } from '../../../accounts/index.ts'
import type { Guards } from '../../../../core/module.ts'
import { isText } from '../issue.policy.ts'
import type { TextOwner } from './former-text.store.ts'
import type { FormerTextView, TextHistory } from './history.service.ts'

const FormerText = Type.Object(
  {
    body: Type.String(),
    user: UserModel,
    replaced_at: Type.String({ format: 'date-time', description: 'When `user` replaced the text by another' }),
  },
  { $id: 'FormerText' },
)

interface HistoryOperationDeps {
  readonly guards: Pick<Guards, 'comment' | 'issue'>
  readonly history: TextHistory
  readonly site: Site
}

const ISSUES = '/repos/{owner}/{repo}/issues'

const common = {
  area: 'issue',
  scopes: ['issue'],
  query: pagingQuery,
  responses: { 200: Type.Array(FormerText) },
  errors: [403, 404],
} as const

/**
 * Former texts, visible to accounts that may edit the text, because an edit may have withdrawn something
 * (behaviour/issues#comments).
 */
export function historyOperations({ guards, history, site }: HistoryOperationDeps): Operation[] {
  const answer = async (owner: TextOwner, paging: Paging): Promise<ApiResponse> => {
    const page = await history.list(owner, paging)
    return listed(
      page,
      page.items.map((view) => presentFormerText(view, site)),
    )
  }
  return [
    defineOperation({
      ...common,
      id: 'issueListBodyHistory',
      method: 'GET',
      path: `${ISSUES}/{index:int}/history`,
      summary: 'Former bodies of an issue, the newest first',
      guard: guards.issue('edit'),
      handler: ({ access: { issue }, paging }) => answer({ issueId: issue.id, commentId: undefined }, paging),
    }),
    defineOperation({
      ...common,
      id: 'issueListCommentHistory',
      method: 'GET',
      path: `${ISSUES}/comments/{id:int}/history`,
      summary: 'Former texts of a comment, the newest first',
      guard: guards.comment('edit'),
      handler({ access: { issue, entry }, paging }) {
        if (!isText(entry)) throw notFound('an event of the timeline has no text')
        return answer({ issueId: issue.id, commentId: entry.id }, paging)
      },
    }),
  ]
}

const presentFormerText = ({ text, editor }: FormerTextView, site: Site): Static<typeof FormerText> => ({
  body: text.body,
  user: editor ? userPresenters.present(editor, ANONYMOUS, site) : userPresenters.presentGhost(site),
  replaced_at: wireTime(text.replacedAt),
})
