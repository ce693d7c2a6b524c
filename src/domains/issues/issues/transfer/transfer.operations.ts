import { Type } from '@sinclair/typebox'
import { created } from '../../../../core/http/answer/answer.ts'
import { NAME_LENGTH } from '../../../../core/http/body/limits.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Guards } from '../../../../core/module.ts'
import type { IssueDeps } from '../changes/create-issue.ts'
import { Issue } from '../issue.model.ts'
import { presentIssue } from '../issue.present.ts'
import type { Issues } from '../issues.service.ts'
import { transferIssue } from './transfer-issue.ts'

const TransferIssueOption = Type.Object(
  { repo: Type.String({ maxLength: NAME_LENGTH, description: 'Another repository of the same owner' }) },
  { $id: 'TransferIssueOption' },
)

interface TransferOperationDeps {
  readonly guards: Pick<Guards, 'issue'>
  readonly issues: Issues
  readonly deps: IssueDeps
  readonly site: Site
}

/** Transfer of issues between repositories of an owner (behaviour/issues#transfer). */
export const transferOperations = ({ guards, issues, deps, site }: TransferOperationDeps): Operation[] => [
  defineOperation({
    id: 'issueTransfer',
    area: 'issue',
    scopes: ['issue'],
    method: 'POST',
    path: '/repos/{owner}/{repo}/issues/{index:int}/transfer',
    summary: 'Move an issue to another repository of the same owner; its old address redirects',
    guard: guards.issue('write', { archived: 'refuse' }),
    body: TransferIssueOption,
    responses: { 201: Issue },
    errors: [403, 404, 422, 423],
    async handler({ access, viewer, body }) {
      const { repo, issue } = await transferIssue(deps, requireUser(viewer), access, body.repo)
      return created(presentIssue(await issues.view(viewer, repo, issue), viewer, site))
    },
  }),
]
