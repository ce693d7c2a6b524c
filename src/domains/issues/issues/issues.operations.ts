import { isRepoAdmin } from '../../../core/access/repo-access.ts'
import { created, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { notFound } from '../../../core/platform/errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import { isZeroTime, parseOptionalTimestamp, parseTimestamp } from '../../../core/platform/timestamp.ts'
import { type RepoInView, unreadableUnit } from '../../repositories/index.ts'
import type { Guards } from '../../../core/module.ts'
import type { IssueEdit } from './changes/edit-issue.ts'
import type { NewIssue } from './changes/create-issue.ts'
import { CreateIssueOption, EditDeadlineOption, EditIssueOption, Issue, IssueDeadline } from './issue.model.ts'
import { endOfDay, areBothUnitsOff, isUnitReadable } from './issue.policy.ts'
import { presentIssue } from './issue.present.ts'
import type { Issues } from './issues.service.ts'

const LIST = '/repos/{owner}/{repo}/issues'
const ONE = `${LIST}/{index:int}`

interface IssueOperationDeps {
  readonly guards: Pick<Guards, 'issue' | 'repo'>
  readonly issues: Issues
  readonly site: Site
}

const common = { area: 'issue', scopes: ['issue'] } as const

/** Issues of a repository (behaviour/issues#creating-editing-deleting). */
export const issueOperations = (deps: IssueOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...createOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ guards, issues, site }: IssueOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueGetIssue',
      method: 'GET',
      path: ONE,
      summary: 'An issue or a pull request',
      guard: guards.issue('read'),
      responses: { 200: Issue },
      errors: [404],
      handler: async ({ access, viewer }) =>
        ok(presentIssue(await issues.view(viewer, access.repo, access.issue), viewer, site)),
    }),
  ]
}

function createOperations({ guards, issues, site }: IssueOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueCreateIssue',
      method: 'POST',
      path: LIST,
      summary: 'Create an issue; labels, assignees, milestone and deadline are for writers',
      guard: creators(guards.repo('see', { unit: 'repo.issues', needsUser: true, archived: 'refuse' })),
      body: CreateIssueOption,
      responses: { 201: Issue },
      errors: [403, 404, 412, 422, 423],
      async handler({ access, viewer, body }) {
        const view = await issues.create(requireUser(viewer), access, readNewIssue(body))
        return created(presentIssue(view, viewer, site))
      },
    }),
  ]
}

function writeOperations({ guards, issues, site }: IssueOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'issueEditIssue',
      method: 'PATCH',
      path: ONE,
      summary: 'Edit an issue or a pull request',
      guard: guards.issue('edit'),
      body: EditIssueOption,
      responses: { 201: Issue },
      errors: [400, 403, 404, 409, 412, 422],
      async handler({ access, viewer, body }) {
        const issue = await issues.edit(requireUser(viewer), access, readEdit(body))
        return created(presentIssue(await issues.view(viewer, access.repo, issue), viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'issueDelete',
      method: 'DELETE',
      path: ONE,
      summary: 'Delete an issue with its comments and files; its number is not used again',
      guard: guards.issue('admin'),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer }) {
        await issues.delete(requireUser(viewer), access)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: 'issueEditIssueDeadline',
      method: 'POST',
      path: `${ONE}/deadline`,
      summary: 'Set the deadline to the end of a day, or delete it',
      guard: guards.issue('write', { refusal: 'Not repo writer' }),
      body: EditDeadlineOption,
      responses: { 201: IssueDeadline },
      errors: [403, 404, 422],
      async handler({ access, viewer, body: { due_date: date } }) {
        const isUnset = date === undefined || date === '' || isZeroTime(parseTimestamp(date)!)
        const dueAt = isUnset ? undefined : endOfDay(`${date.slice(0, 10)}T00:00:00Z`)
        await issues.setDeadline(requireUser(viewer), access, dueAt)
        return created({ due_date: dueAt === undefined ? ZERO_TIME : wireTime(dueAt) })
      },
    }),
  ]
}

/**
 * COMPAT: administrators may create issues even when the unit is off (test/issues/units.test.ts;
 * behaviour/issues#blocked-users-archived-repositories-disabled-units).
 */
const creators = (guard: Guard<RepoInView>): Guard<RepoInView> => ({
  ...guard,
  describe: 'read repo.issues, not archived',
  decide({ repo, access }) {
    if (areBothUnitsOff(repo, access)) throw notFound('issues and pull requests are not readable')
    if (!isUnitReadable(access, 'repo.issues') && !isRepoAdmin(access)) throw unreadableUnit(repo, 'repo.issues')
  },
})

const loginsOf = (assignee: string | undefined, assignees: readonly string[]): string[] => [
  ...new Set([...(assignee ? [assignee] : []), ...assignees]),
]

const readNewIssue = (body: CreateIssueOption): NewIssue => ({
  title: body.title,
  body: body.body ?? '',
  ref: body.ref ?? '',
  assignees: loginsOf(body.assignee, body.assignees ?? []),
  labelIds: body.labels ?? [],
  projectIds: body.projects,
  milestoneId: body.milestone ? asId(body.milestone) : undefined,
  dueAt: parseOptionalTimestamp(body.due_date),
  isClosed: body.closed ?? false,
})

function readEdit(body: EditIssueOption): IssueEdit {
  const { assignee, assignees, milestone } = body
  return {
    title: body.title,
    body: body.body,
    ref: body.ref,
    assignees: assignees ?? (assignee === undefined ? undefined : loginsOf(assignee, [])),
    milestoneId: milestone === undefined ? undefined : asId(milestone),
    projectIds: body.projects,
    dueDate: body.due_date || undefined,
    unsetsDueDate: body.unset_due_date,
    state: body.state,
    contentVersion: body.content_version,
    updatedAt: parseOptionalTimestamp(body.updated_at),
  }
}
