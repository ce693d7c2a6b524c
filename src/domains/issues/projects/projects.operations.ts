import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { asId, type ProjectId } from '../../../core/platform/crypto/ids.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Level } from './levels.ts'
import { CreateProjectOption, EditProjectOption, Project } from './project.model.ts'
import { presentProject } from './project.present.ts'
import type { Projects } from './projects.service.ts'

export interface ProjectOperationDeps {
  readonly projects: Projects
  readonly site: Site
}

const listQuery = Type.Object({
  ...pagingMembers,
  state: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'open, closed or all; open by default' })),
})

/** Projects of one level (behaviour/issues#projects). */
export const projectOperations = (deps: ProjectOperationDeps, level: Level): Operation[] => [
  ...readOperations(deps, level),
  ...writeOperations(deps, level),
]

function readOperations({ projects, site }: ProjectOperationDeps, level: Level): Operation[] {
  const { path, area, prefix, guards } = level
  const common = { method: 'GET', area, scopes: [area], guard: guards.read, errors: [404] } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}ListProjects`,
      path,
      summary: 'List projects',
      query: listQuery,
      responses: { 200: Type.Array(Project) },
      async handler({ access, viewer, query, paging }) {
        const state = query.state === 'closed' || query.state === 'all' ? query.state : 'open'
        const page = await projects.list(viewer, access.home, { state, paging })
        return listed(
          page,
          page.items.map((view) => presentProject(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}GetProject`,
      path: `${path}/{id:int}`,
      params: { id: asId<ProjectId> },
      summary: 'A project',
      responses: { 200: Project },
      async handler({ access: { home }, viewer, params }) {
        const project = await projects.get(home, params.id)
        return ok(presentProject(await projects.view(viewer, home, project), viewer, site))
      },
    }),
  ]
}

function writeOperations({ projects, site }: ProjectOperationDeps, level: Level): Operation[] {
  const { path, area, prefix, guards, locked } = level
  const common = { area, scopes: [area], guard: guards.write } as const
  const byId = { ...common, path: `${path}/{id:int}`, params: { id: asId<ProjectId> } } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}CreateProject`,
      method: 'POST',
      path,
      summary: 'Create a project with the columns of a template',
      body: CreateProjectOption,
      responses: { 201: Project },
      errors: [403, 404, 422, ...locked],
      async handler({ access, viewer, body }) {
        const {
          title,
          description = '',
          template_type: templateType = 'none',
          card_type: cardType = 'text_only',
        } = body
        const input = { title, description, templateType, cardType }
        return created(presentProject(await projects.create(requireUser(viewer), access.home, input), viewer, site))
      },
    }),
    defineOperation({
      ...byId,
      id: `${prefix}EditProject`,
      method: 'PATCH',
      summary: 'Edit, close or reopen a project',
      body: EditProjectOption,
      responses: { 200: Project },
      errors: [403, 404, 422, ...locked],
      async handler({ access, viewer, params, body: { title, description, card_type: cardType, state } }) {
        const change = { title, description, cardType, state }
        const view = await projects.edit(requireUser(viewer), access.home, params.id, change)
        return ok(presentProject(view, viewer, site))
      },
    }),
    defineOperation({
      ...byId,
      id: `${prefix}DeleteProject`,
      method: 'DELETE',
      summary: 'Delete a project with its columns; its issues remain',
      responses: { 204: null },
      errors: [403, 404, ...locked],
      async handler({ access, viewer, params }) {
        await projects.delete(requireUser(viewer), access.home, params.id)
        return noContent()
      },
    }),
  ]
}
