import { created, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { parseOptionalTimestamp } from '../../../core/platform/timestamp.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import type { NewPull } from './creation/create-pull.ts'
import type { PullEdit } from './edits/edit-pull.ts'
import { CreatePullRequestOption, EditPullRequestOption, PullRequest } from './pull.model.ts'
import { presentPull } from './pull.present.ts'
import type { Pulls } from './pulls.service.ts'

const LIST = '/repos/{owner}/{repo}/pulls'
const ONE = `${LIST}/{index:int}`
const common = { area: 'repository', scopes: ['repository'] } as const

interface PullOperationDeps {
  readonly guards: Pick<Guards, 'pull' | 'pulls'>
  readonly pulls: Pulls
  readonly site: Site
}

/** Pull requests of a repository (behaviour/pull-requests#listing-creating-editing). */
export function pullOperations({ guards, pulls, site }: PullOperationDeps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'repoGetPullRequest',
      method: 'GET',
      path: ONE,
      summary: 'A pull request',
      guard: guards.pull('read'),
      responses: { 200: PullRequest },
      errors: [403, 404],
      handler: async ({ access, viewer }) =>
        ok(presentPull(await pulls.view(viewer, access, access.issue), viewer, site)),
    }),
    defineOperation({
      ...common,
      id: 'repoCreatePullRequest',
      method: 'POST',
      path: LIST,
      summary: 'Create a pull request',
      guard: guards.pulls({ needsUser: true, archived: 'refuse' }),
      body: CreatePullRequestOption,
      responses: { 201: PullRequest },
      errors: [400, 403, 404, 409, 422, 423],
      async handler({ access, viewer, body }) {
        const issue = await pulls.create(requireUser(viewer), access, readNewPull(body))
        return created(presentPull(await pulls.view(viewer, access, issue), viewer, site))
      },
    }),
    defineOperation({
      ...common,
      id: 'repoEditPullRequest',
      method: 'PATCH',
      path: ONE,
      summary: 'Edit a pull request',
      guard: guards.pull('edit'),
      body: EditPullRequestOption,
      responses: { 201: PullRequest },
      errors: [400, 403, 404, 409, 412, 422],
      async handler({ access, viewer, body }) {
        const { repo } = access
        const issue = await pulls.edit(requireUser(viewer), access, readEdit(body))
        return created(presentPull(await pulls.view(viewer, { repo }, issue), viewer, site))
      },
    }),
  ]
}

/** NOTE: clients send `unset_due_date: false` when they want no change. */
function readEdit(body: EditPullRequestOption): PullEdit {
  const { assignee, assignees, milestone } = body
  const logins = [...(assignees ?? []), ...(assignee ? [assignee] : [])]
  return {
    title: body.title,
    body: body.body,
    assignees: assignees === undefined && !assignee ? undefined : [...new Set(logins)],
    milestoneId: milestone ? asId(milestone) : undefined,
    labelIds: body.labels,
    dueDate: body.due_date || undefined,
    unsetsDueDate: body.unset_due_date === true ? true : undefined,
    state: body.state,
    contentVersion: body.content_version,
    base: body.base,
    allowsMaintainerEdit: body.allow_maintainer_edit,
  }
}

const readNewPull = (body: CreatePullRequestOption): NewPull => ({
  head: body.head,
  base: body.base,
  title: body.title,
  body: body.body ?? '',
  assignees: [...new Set([...(body.assignee ? [body.assignee] : []), ...(body.assignees ?? [])])],
  labelIds: body.labels ?? [],
  milestoneId: body.milestone ? asId(body.milestone) : undefined,
  dueAt: parseOptionalTimestamp(body.due_date),
  allowsMaintainerEdit: body.allow_maintainer_edit,
  reviewers: body.reviewers ?? [],
  teams: body.team_reviewers ?? [],
})
