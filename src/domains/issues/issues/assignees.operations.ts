import { Type } from '@sinclair/typebox'
import { Names } from '../../../core/http/answer/text.ts'
import { created, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import type { Site } from '../../../core/platform/site.ts'
import { Issue } from './issue.model.ts'
import { presentIssue } from './issue.present.ts'
import type { Issues } from './issues.service.ts'

const IssueAssigneesOption = Type.Object({ assignees: Names() }, { $id: 'IssueAssigneesOption' })

interface AssigneeOperationDeps {
  readonly guards: Pick<Guards, 'issue' | 'repo'>
  readonly issues: Pick<Issues, 'editAssignees' | 'requireAssignee' | 'view'>
  readonly site: Site
}

/** Assignees of an issue by name, and whether an account can be one (behaviour/issues#creating-editing-deleting). */
export function assigneeOperations({ guards, issues, site }: AssigneeOperationDeps): Operation[] {
  const path = '/repos/{owner}/{repo}/issues/{index:int}/assignees'
  const common = { area: 'issue', scopes: ['issue'] } as const
  const change = { ...common, path, guard: guards.issue('write'), body: IssueAssigneesOption } as const
  return [
    defineOperation({
      ...change,
      id: 'issueAddAssignees',
      method: 'POST',
      summary: 'Add assignees; those of before stay',
      responses: { 201: Issue },
      errors: [403, 404, 422],
      async handler({ access, viewer, body }) {
        const edit = { logins: body.assignees, isRemoval: false }
        const issue = await issues.editAssignees(requireUser(viewer), access, edit)
        return created(presentIssue(await issues.view(viewer, access.repo, issue), viewer, site))
      },
    }),
    defineOperation({
      ...change,
      id: 'issueRemoveAssignees',
      method: 'DELETE',
      summary: 'Remove assignees',
      responses: { 200: Issue },
      errors: [403, 404, 422],
      async handler({ access, viewer, body }) {
        const edit = { logins: body.assignees, isRemoval: true }
        const issue = await issues.editAssignees(requireUser(viewer), access, edit)
        return ok(presentIssue(await issues.view(viewer, access.repo, issue), viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'issueCheckAssignee',
      method: 'GET',
      path: `${path}/{assignee}`,
      summary: 'Whether the issue can be assigned to a user',
      guard: guards.issue('read', { needsUser: true }),
      responses: { 204: null },
      errors: [401, 404],
      async handler({ access, viewer, params }) {
        await issues.requireAssignee(requireUser(viewer), access.repo, params.assignee)
        return noContent()
      },
    }),
    defineOperation({
      area: 'repository',
      scopes: ['repository'],
      id: 'repoCheckAssignee',
      method: 'GET',
      path: '/repos/{owner}/{repo}/assignees/{assignee}',
      summary: 'Whether issues of the repository can be assigned to a user',
      guard: guards.repo('see', { needsUser: true }),
      responses: { 204: null },
      errors: [401, 404],
      async handler({ access, viewer, params }) {
        await issues.requireAssignee(requireUser(viewer), access.repo, params.assignee)
        return noContent()
      },
    }),
  ]
}
