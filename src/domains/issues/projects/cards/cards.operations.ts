import { Type } from '@sinclair/typebox'
import { created, listed, noContent } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { asId, type IssueId, type ProjectColumnId, type ProjectId } from '../../../../core/platform/crypto/ids.ts'
import { Issue } from '../../issues/issue.model.ts'
import { presentIssue, presentIssues } from '../../issues/issue.present.ts'
import type { ColumnOperationDeps } from '../columns/columns.operations.ts'
import type { Level } from '../levels.ts'
import { MoveProjectIssueOption } from '../project.model.ts'
import type { Cards } from './cards.service.ts'

interface CardOperationDeps extends ColumnOperationDeps {
  readonly cards: Cards
}

const inColumn = { id: asId<ProjectId>, column_id: asId<ProjectColumnId> } as const
const ofIssue = { ...inColumn, issue_id: asId<IssueId> } as const

/**
 * Issues and pull requests in the projects of one level; `issue_id` is the id, not the number
 * (behaviour/issues#projects).
 */
export const cardOperations = (deps: CardOperationDeps, level: Level): Operation[] => [
  ...columnOperations(deps, level),
  moveOperation(deps, level),
]

function columnOperations({ projects, columns, cards, site }: CardOperationDeps, level: Level): Operation[] {
  const { path, area, prefix, guards } = level
  const list = `${path}/{id:int}/columns/{column_id:int}/issues` as const
  const scopes = [area, 'issue'] as const
  const change = { area, scopes, path: `${list}/{issue_id:int}`, params: ofIssue, guard: guards.write } as const
  return [
    defineOperation({
      area,
      scopes,
      id: `${prefix}ListProjectColumnIssues`,
      method: 'GET',
      path: list,
      params: inColumn,
      summary: 'Issues and pull requests of a column that the caller may read, in their order',
      guard: guards.read,
      query: pagingQuery,
      responses: { 200: Type.Array(Issue) },
      errors: [404],
      async handler({ access, viewer, params, paging }) {
        const project = await projects.get(access.home, params.id)
        const { column } = await columns.get(project, params.column_id)
        const page = await cards.list(viewer, column.id, paging)
        return listed(page, presentIssues(page.items, viewer, site))
      },
    }),
    defineOperation({
      ...change,
      id: `${prefix}AddIssueToProjectColumn`,
      method: 'POST',
      summary: 'Add an issue to the end of a column, or move it there from another one of the project',
      responses: { 201: Issue },
      errors: [403, 404, 422, 423],
      async handler({ access, viewer, params }) {
        const project = await projects.get(access.home, params.id)
        const target = { project, issueId: params.issue_id }
        const view = await cards.add(requireUser(viewer), target, params.column_id)
        return created(presentIssue(view, viewer, site))
      },
    }),
    defineOperation({
      ...change,
      id: `${prefix}RemoveIssueFromProjectColumn`,
      method: 'DELETE',
      summary: 'Take an issue from a column and from the project',
      responses: { 204: null },
      errors: [403, 404, 422, 423],
      async handler({ access, viewer, params }) {
        const project = await projects.get(access.home, params.id)
        await cards.remove(requireUser(viewer), { project, issueId: params.issue_id }, params.column_id)
        return noContent()
      },
    }),
  ]
}

const moveOperation = ({ projects, cards }: CardOperationDeps, { path, area, prefix, guards }: Level): Operation =>
  defineOperation({
    area,
    scopes: [area, 'issue'],
    id: `${prefix}MoveProjectIssue`,
    method: 'POST',
    path: `${path}/{id:int}/issues/{issue_id:int}/move`,
    params: { id: asId<ProjectId>, issue_id: asId<IssueId> },
    summary: 'Move an issue of a project to a position of a column',
    guard: guards.write,
    body: MoveProjectIssueOption,
    responses: { 204: null },
    errors: [403, 404, 422, 423],
    async handler({ access, viewer, params, body: { column_id: columnId, sorting: position } }) {
      const project = await projects.get(access.home, params.id)
      const to = { columnId: asId<ProjectColumnId>(columnId), position }
      await cards.move(requireUser(viewer), { project, issueId: params.issue_id }, to)
      return noContent()
    },
  })
