import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { parseTimestamp } from '../../../core/platform/timestamp.ts'
import type { Guards } from '../../../core/module.ts'
import { CreateMilestoneOption, EditMilestoneOption, Milestone } from './milestone.model.ts'
import { presentMilestone } from './milestone.present.ts'
import type { MilestoneChange, Milestones } from './milestones.service.ts'

interface MilestoneOperationDeps {
  readonly guards: Pick<Guards, 'tracker'>
  readonly milestones: Milestones
}

const PATH = '/repos/{owner}/{repo}/milestones'
const common = { area: 'issue', scopes: ['issue'] } as const

const listQuery = Type.Object({
  ...pagingMembers,
  state: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'closed or all; open for anything else' })),
  name: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'Part of the title, in any case' })),
})

/** Milestones (behaviour/issues#milestones). */
export const milestoneOperations = (deps: MilestoneOperationDeps): Operation[] => [
  ...readOperations(deps),
  ...writeOperations(deps),
]

function readOperations({ guards, milestones }: MilestoneOperationDeps): Operation[] {
  const read = { ...common, method: 'GET', guard: guards.tracker('read'), errors: [404] } as const
  return [
    defineOperation({
      ...read,
      id: 'issueGetMilestonesList',
      path: PATH,
      summary: 'List milestones by due date, those without one first, then by title',
      query: listQuery,
      responses: { 200: Type.Array(Milestone) },
      async handler({ access, query: { state, name = '' }, paging }) {
        const filter = { state: state === 'closed' || state === 'all' ? state : 'open', title: name } as const
        const page = await milestones.list(access.repo.id, filter, paging)
        return listed(page, page.items.map(presentMilestone), { link: false })
      },
    }),
    defineOperation({
      ...read,
      id: 'issueGetMilestone',
      path: `${PATH}/{id}`,
      summary: 'A milestone, by its id or title',
      responses: { 200: Milestone },
      handler: async ({ access, params }) => ok(presentMilestone(await milestones.get(access.repo.id, params.id))),
    }),
  ]
}

function writeOperations({ guards, milestones }: MilestoneOperationDeps): Operation[] {
  const write = { ...common, guard: guards.tracker('write') } as const
  return [
    defineOperation({
      ...write,
      id: 'issueCreateMilestone',
      method: 'POST',
      path: PATH,
      summary: 'Make a milestone; several may have the same title',
      body: CreateMilestoneOption,
      responses: { 201: Milestone },
      errors: [403, 404, 413, 422],
      async handler({ access, viewer, body }) {
        const milestone = await milestones.create(requireUser(viewer), access.repo.id, readChange(body))
        return created(presentMilestone(milestone))
      },
    }),
    defineOperation({
      ...write,
      id: 'issueEditMilestone',
      method: 'PATCH',
      path: `${PATH}/{id}`,
      summary: 'Edit a milestone, by its id or title',
      body: EditMilestoneOption,
      responses: { 200: Milestone },
      errors: [403, 404, 413, 422],
      async handler({ access, viewer, params, body }) {
        const milestone = await milestones.edit(requireUser(viewer), access.repo.id, params.id, readChange(body))
        return ok(presentMilestone(milestone))
      },
    }),
    defineOperation({
      ...write,
      id: 'issueDeleteMilestone',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Delete a milestone, by its id or title; issues lose it',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer, params }) {
        await milestones.delete(requireUser(viewer), access.repo.id, params.id)
        return noContent()
      },
    }),
  ]
}

const readChange = ({ title, description, state, due_on }: EditMilestoneOption): MilestoneChange => ({
  title,
  description,
  isClosed: state === undefined ? undefined : state === 'closed',
  dueAt: due_on === undefined ? undefined : parseTimestamp(due_on),
})
