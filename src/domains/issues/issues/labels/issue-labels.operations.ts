import { Type } from '@sinclair/typebox'
import { noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import { parseOptionalTimestamp } from '../../../../core/platform/timestamp.ts'
import type { Label } from '../../labels/label.store.ts'
import { Label as LabelModel } from '../../labels/label.model.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Guards } from '../../../../core/module.ts'
import { presentIssueLabel } from '../issue.present.ts'
import { DeleteLabelsOption, IssueLabelsOption } from '../issues.model.ts'
import type { IssueLabels } from './issue-labels.service.ts'

const PATH = '/repos/{owner}/{repo}/issues/{index:int}/labels'

interface IssueLabelOperationDeps {
  readonly guards: Pick<Guards, 'issue'>
  readonly issueLabels: IssueLabels
  readonly site: Site
}

const common = { area: 'issue', scopes: ['issue'], path: PATH } as const

/** Labels of an issue (behaviour/issues#labels). */
export const issueLabelOperations = (deps: IssueLabelOperationDeps): Operation[] => [
  ...attachOperations(deps),
  ...detachOperations(deps),
]

const answer = (labels: readonly Label[], repo: Repo, site: Site) =>
  ok(labels.map((label) => presentIssueLabel(label, repo, site)))

function attachOperations({ guards, issueLabels, site }: IssueLabelOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueGetLabels',
      method: 'GET',
      summary: 'Labels of an issue, sorted by name',
      guard: guards.issue('read'),
      responses: { 200: Type.Array(LabelModel) },
      errors: [404],
      handler: async ({ access }) => answer(await issueLabels.list(access.issue), access.repo, site),
    }),
    defineOperation({
      ...common,
      id: 'issueAddLabel',
      method: 'POST',
      summary: 'Add labels to an issue; unknown ones are ignored',
      guard: guards.issue('write'),
      body: IssueLabelsOption,
      responses: { 200: Type.Array(LabelModel) },
      errors: [400, 403, 404, 422],
      async handler({ access, viewer, body }) {
        const target = { ...access, updatedAt: parseOptionalTimestamp(body.updated_at) }
        const labels = await issueLabels.add(requireUser(viewer), target, body.labels ?? [])
        return answer(labels, access.repo, site)
      },
    }),
    defineOperation({
      ...common,
      id: 'issueReplaceLabels',
      method: 'PUT',
      summary: 'Replace the labels of an issue; unknown ones are ignored',
      guard: guards.issue('write'),
      body: IssueLabelsOption,
      responses: { 200: Type.Array(LabelModel) },
      errors: [400, 403, 404, 422],
      async handler({ access, viewer, body }) {
        const target = { ...access, updatedAt: parseOptionalTimestamp(body.updated_at) }
        const labels = await issueLabels.replace(requireUser(viewer), target, body.labels ?? [])
        return answer(labels, access.repo, site)
      },
    }),
  ]
}

function detachOperations({ guards, issueLabels }: IssueLabelOperationDeps): Operation[] {
  const detach = {
    ...common,
    method: 'DELETE',
    guard: guards.issue('write', { refusal: '' }),
    body: DeleteLabelsOption,
    responses: { 204: null },
    errors: [403, 404, 422],
  } as const
  return [
    defineOperation({
      ...detach,
      id: 'issueClearLabels',
      summary: 'Delete all labels of an issue',
      async handler({ access, viewer, body }) {
        await issueLabels.clear(requireUser(viewer), { ...access, updatedAt: parseOptionalTimestamp(body.updated_at) })
        return noContent()
      },
    }),
    defineOperation({
      ...detach,
      id: 'issueRemoveLabel',
      path: `${PATH}/{id}`,
      summary: 'Delete a label of an issue, by its id or name; 204 also when the issue does not have it',
      async handler({ access, viewer, params, body }) {
        const target = { ...access, updatedAt: parseOptionalTimestamp(body.updated_at) }
        await issueLabels.delete(requireUser(viewer), target, params.id)
        return noContent()
      },
    }),
  ]
}
