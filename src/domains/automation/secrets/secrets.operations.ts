import { Type } from '@sinclair/typebox'
import { created, listed, noContent } from '../../../core/http/answer/answer.ts'
import { requireUser } from '../../../core/http/guards/account.guards.ts'
import { pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import type { Guards } from '../../../core/module.ts'
import { type Level, operationsOfLevels } from './levels.ts'
import { CreateOrUpdateSecretOption, Secret } from './secret.model.ts'
import { presentSecret } from './secret.present.ts'
import type { ActionsSecrets } from './secrets.service.ts'

interface SecretOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly actionsSecrets: ActionsSecrets
}

/** Secrets of repositories, organizations and users (behaviour/actions#secrets). */
export const secretOperations = ({ guards, actionsSecrets }: SecretOperationDeps): Operation[] =>
  operationsOfLevels(guards, (level) => operationsFor(actionsSecrets, level))

function operationsFor<Access>(secrets: ActionsSecrets, level: Level<Access>): Operation[] {
  const { path, area, word, guard, owner } = level
  const common = { area, scopes: [area], guard } as const
  const byName = { ...common, path: `${path}/secrets/{secretname}` } as const
  return [
    defineOperation({
      ...common,
      id: `${word.toLowerCase()}ListActionsSecrets`,
      method: 'GET',
      path: `${path}/secrets`,
      summary: 'List secrets by name, without their values',
      query: pagingQuery,
      responses: { 200: Type.Array(Secret) },
      errors: [403, 404],
      async handler({ access, paging }) {
        const page = await secrets.list(owner(access), paging)
        return listed(page, page.items.map(presentSecret))
      },
    }),
    defineOperation({
      ...byName,
      id: `update${word}Secret`,
      method: 'PUT',
      summary: 'Make a secret (201), or replace the one of this name (204)',
      body: CreateOrUpdateSecretOption,
      responses: { 201: Secret, 204: null },
      errors: [400, 403, 404, 422],
      async handler({ access, viewer, params, body: { data: value, description = '' } }) {
        const input = { name: params.secretname, value, description }
        const secret = await secrets.put(requireUser(viewer), owner(access), input)
        return secret === undefined ? noContent() : created(presentSecret(secret))
      },
    }),
    defineOperation({
      ...byName,
      id: `delete${word}Secret`,
      method: 'DELETE',
      summary: 'Delete a secret',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, viewer, params }) {
        await secrets.delete(requireUser(viewer), owner(access), params.secretname)
        return noContent()
      },
    }),
  ]
}
