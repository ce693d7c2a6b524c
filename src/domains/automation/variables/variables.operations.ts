import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { type Level, operationsOfLevels } from '../secrets/levels.ts'
import type { Guards } from '../../../core/module.ts'
import { ActionVariable, CreateVariableOption, UpdateVariableOption } from './variable.model.ts'
import { presentVariable } from './variable.present.ts'
import type { ActionsVariables } from './variables.service.ts'

interface VariableOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly actionsVariables: ActionsVariables
}

/** Variables of repositories, organizations and users (behaviour/actions#variables). */
export const variableOperations = ({ guards, actionsVariables }: VariableOperationDeps): Operation[] =>
  operationsOfLevels(guards, (level) => [
    ...readOperations(actionsVariables, level),
    ...writeOperations(actionsVariables, level),
  ])

function readOperations<Access>(variables: ActionsVariables, level: Level<Access>): Operation[] {
  const { path, area, word, guard, owner } = level
  const common = { method: 'GET', area, scopes: [area], guard, errors: [403, 404] } as const
  return [
    defineOperation({
      ...common,
      id: `get${word}VariablesList`,
      path: `${path}/variables`,
      summary: 'List variables by name',
      query: pagingQuery,
      responses: { 200: Type.Array(ActionVariable) },
      async handler({ access, paging }) {
        const page = await variables.list(owner(access), paging)
        return listed(page, page.items.map(presentVariable))
      },
    }),
    defineOperation({
      ...common,
      id: `get${word}Variable`,
      path: `${path}/variables/{variablename}`,
      summary: 'A variable',
      responses: { 200: ActionVariable },
      handler: async ({ access, params }) =>
        ok(presentVariable(await variables.get(owner(access), params.variablename))),
    }),
  ]
}

function writeOperations<Access>(variables: ActionsVariables, level: Level<Access>): Operation[] {
  const { path, area, word, guard, owner } = level
  const common = { area, scopes: [area], guard, path: `${path}/variables/{variablename}` } as const
  return [
    defineOperation({
      ...common,
      id: `create${word}Variable`,
      method: 'POST',
      summary: 'Make a variable',
      body: CreateVariableOption,
      responses: { 201: ActionVariable },
      errors: [400, 403, 404, 409, 422],
      async handler({ access, viewer, params, body: { value, description = '' } }) {
        const input = { name: params.variablename, value, description }
        return created(presentVariable(await variables.create(requireUser(viewer), owner(access), input)))
      },
    }),
    defineOperation({
      ...common,
      id: `update${word}Variable`,
      method: 'PUT',
      summary: 'Replace a variable; the name is kept unless the body has another',
      body: UpdateVariableOption,
      responses: { 204: null },
      errors: [400, 403, 404, 409, 422],
      async handler({ access, viewer, params: { variablename: present }, body }) {
        const input = { name: body.name || present, value: body.value, description: body.description ?? '' }
        await variables.edit(requireUser(viewer), owner(access), present, input)
        return noContent()
      },
    }),
    defineOperation({
      ...common,
      id: `delete${word}Variable`,
      method: 'DELETE',
      summary: 'Delete a variable',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer, params }) {
        await variables.delete(requireUser(viewer), owner(access), params.variablename)
        return noContent()
      },
    }),
  ]
}
