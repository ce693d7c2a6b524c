import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { asId, type ProjectColumnId, type ProjectId } from '../../../../core/platform/crypto/ids.ts'
import type { Level } from '../levels.ts'
import {
  CreateProjectColumnOption,
  EditProjectColumnOption,
  MoveProjectColumnsOption,
  ProjectColumn,
} from '../project.model.ts'
import { presentColumn } from '../project.present.ts'
import type { ProjectOperationDeps } from '../projects.operations.ts'
import type { Columns } from './columns.service.ts'

export interface ColumnOperationDeps extends ProjectOperationDeps {
  readonly columns: Columns
}

const inProject = { id: asId<ProjectId> } as const
const inColumn = { id: asId<ProjectId>, column_id: asId<ProjectColumnId> } as const

/** Columns of the projects of one level (behaviour/issues#projects). */
export const columnOperations = (deps: ColumnOperationDeps, level: Level): Operation[] => [
  ...readOperations(deps, level),
  ...writeOperations(deps, level),
  ...orderOperations(deps, level),
]

function readOperations({ projects, columns, site }: ColumnOperationDeps, level: Level): Operation[] {
  const { path, area, prefix, guards } = level
  const common = { method: 'GET', area, scopes: [area], guard: guards.read, errors: [404] } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}ListProjectColumns`,
      path: `${path}/{id:int}/columns`,
      params: inProject,
      summary: 'List the columns of a project in their order',
      query: pagingQuery,
      responses: { 200: Type.Array(ProjectColumn) },
      async handler({ access, viewer, params, paging }) {
        const page = await columns.list(await projects.get(access.home, params.id), paging)
        return listed(
          page,
          page.items.map((view) => presentColumn(view, viewer, site)),
        )
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}GetProjectColumn`,
      path: `${path}/{id:int}/columns/{column_id:int}`,
      params: inColumn,
      summary: 'A column of a project',
      responses: { 200: ProjectColumn },
      async handler({ access, viewer, params }) {
        const project = await projects.get(access.home, params.id)
        return ok(presentColumn(await columns.get(project, params.column_id), viewer, site))
      },
    }),
  ]
}

function writeOperations({ projects, columns, site }: ColumnOperationDeps, level: Level): Operation[] {
  const { path, area, prefix, guards, locked } = level
  const common = { area, scopes: [area], guard: guards.write, errors: [403, 404, 422, ...locked] } as const
  const byId = { ...common, path: `${path}/{id:int}/columns/{column_id:int}`, params: inColumn } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}CreateProjectColumn`,
      method: 'POST',
      path: `${path}/{id:int}/columns`,
      params: inProject,
      summary: 'Add a column at the end of a project',
      body: CreateProjectColumnOption,
      responses: { 201: ProjectColumn },
      async handler({ access, viewer, params, body: { title, color = '' } }) {
        const project = await projects.get(access.home, params.id)
        const view = await columns.create(requireUser(viewer), project, { title, color })
        return created(presentColumn(view, viewer, site))
      },
    }),
    defineOperation({
      ...byId,
      id: `${prefix}EditProjectColumn`,
      method: 'PATCH',
      summary: 'Edit a column of a project',
      body: EditProjectColumnOption,
      responses: { 200: ProjectColumn },
      async handler({ access, viewer, params, body }) {
        const project = await projects.get(access.home, params.id)
        const view = await columns.edit(requireUser(viewer), project, params.column_id, body)
        return ok(presentColumn(view, viewer, site))
      },
    }),
    defineOperation({
      ...byId,
      id: `${prefix}DeleteProjectColumn`,
      method: 'DELETE',
      summary: 'Delete a column; its issues go to the default column, which cannot be deleted',
      responses: { 204: null },
      async handler({ access, viewer, params }) {
        const project = await projects.get(access.home, params.id)
        await columns.delete(requireUser(viewer), project, params.column_id)
        return noContent()
      },
    }),
  ]
}

function orderOperations({ projects, columns }: ColumnOperationDeps, level: Level): Operation[] {
  const { path, area, prefix, guards, locked } = level
  const common = { method: 'POST', area, scopes: [area], guard: guards.write, responses: { 204: null } } as const
  return [
    defineOperation({
      ...common,
      id: `${prefix}SetDefaultProjectColumn`,
      path: `${path}/{id:int}/columns/{column_id:int}/default`,
      params: inColumn,
      summary: 'Make a column the default one, for issues that are added to the project without a column',
      errors: [403, 404, ...locked],
      async handler({ access, viewer, params }) {
        const project = await projects.get(access.home, params.id)
        await columns.setDefault(requireUser(viewer), project, params.column_id)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: `${prefix}MoveProjectColumns`,
      path: `${path}/{id:int}/columns/move`,
      params: inProject,
      summary: 'Set the order of all columns of a project',
      body: MoveProjectColumnsOption,
      errors: [403, 404, 422, ...locked],
      async handler({ access, viewer, params, body }) {
        const project = await projects.get(access.home, params.id)
        await columns.sort(requireUser(viewer), project, body.column_ids)
        return noContent()
      },
    }),
  ]
}
