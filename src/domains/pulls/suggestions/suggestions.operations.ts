import { repoUrls } from '../../../core/access/repo-urls.ts'
import { type ApiResponse, created } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { engineErrors } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { Commit, commitPresenters } from '../../code/index.ts'
import type { Guards } from '../../../core/module.ts'
import { ApplySuggestionOptions, ApplySuggestionsOptions } from './suggestions.model.ts'
import type { Applied, Suggestions } from './suggestions.service.ts'

interface SuggestionOperationDeps {
  readonly guards: Pick<Guards, 'pull' | 'pulls'>
  readonly suggestions: Suggestions
  readonly site: Site
}

const PULLS = '/repos/{owner}/{repo}/pulls'

/** Applies suggestions of review comments (behaviour/pull-requests#suggestions): an extension of the API. */
export function suggestionOperations({ guards, suggestions, site }: SuggestionOperationDeps): Operation[] {
  const common = {
    area: 'repository',
    scopes: ['repository'],
    method: 'POST',
    responses: { 201: Commit },
    errors: [400, 401, 403, 404, 409, 413, 422, 423],
  } as const
  const answer = ({ head, view }: Applied): ApiResponse =>
    created(commitPresenters.present(view, repoUrls(head, site), site))
  return [
    defineOperation({
      ...common,
      id: 'repoApplyPullReviewSuggestion',
      path: `${PULLS}/comments/{id:int}/apply`,
      summary: 'Commit what a comment of a review suggests to the head branch',
      guard: guards.pulls({ needsUser: true, archived: 'refuse' }),
      body: ApplySuggestionOptions,
      async handler({ access, viewer, params: { id }, body: { suggestion, message = '', head_commit_id = '' } }) {
        const order = { comments: [{ id, suggestion }], message, headOid: head_commit_id }
        return answer(await suggestions.applyOne(requireUser(viewer), access, order))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoApplyPullReviewSuggestions',
      path: `${PULLS}/{index:int}/suggestions`,
      summary: 'Commit what several comments of reviews suggest to the head branch, in one commit',
      guard: guards.pull('read', { needsUser: true, archived: 'refuse' }),
      body: ApplySuggestionsOptions,
      async handler({ access, viewer, body: { comments, message = '', head_commit_id = '' } }) {
        if (comments.length === 0) throw engineErrors.fieldRequired('Comments')
        const wanted = [...new Set(comments)].map((id) => ({ id, suggestion: undefined }))
        const order = { comments: wanted, message, headOid: head_commit_id }
        return answer(await suggestions.apply(requireUser(viewer), access, order))
      },
    }),
  ]
}
