import { Type } from '@sinclair/typebox'
import { created, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { pagingMembers } from '../../../../core/http/openapi/paging-members.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { Guards } from '../../../../core/module.ts'
import { type ActionsLevel, forEachLevel } from '../levels.ts'
import {
  ActionRunner,
  ActionRunnersResponse,
  EditActionRunnerOption,
  RegisterRunnerOption,
  RegisterRunnerResponse,
  RegistrationToken,
} from '../actions.model.ts'
import { presentRunner } from '../actions.present.ts'
import { counted } from '../runs/run-lists.operations.ts'
import type { Registration } from './registration.service.ts'
import type { Runners } from './runners.service.ts'

interface RunnerOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly runners: Runners
  readonly registration: Pick<Registration, 'create'>
  readonly clock: Clock
}

const listQuery = Type.Object({
  ...pagingMembers,
  disabled: Type.Optional(Type.Boolean({ description: 'Only those that are disabled, or that are not' })),
  visible: Type.Optional(
    Type.Boolean({ description: 'Also those of the owner and of the site, which serve this level' }),
  ),
})

/** Runners of repositories, organizations, users and the site (behaviour/actions#runners). */
export const runnerOperations = (deps: RunnerOperationDeps): Operation[] =>
  forEachLevel(deps.guards, (level) => [
    ...tokenOperations(deps, level),
    ...listOperations(deps, level),
    ...singleOperations(deps, level),
  ])

/** `Repo`, `Org`, `User` or `Admin`. */
const capitalized = ({ name }: { readonly name: string }): string => name.charAt(0).toUpperCase() + name.slice(1)

function tokenOperations<Access>({ runners }: RunnerOperationDeps, level: ActionsLevel<Access>): Operation[] {
  const { name, area, guards, scope } = level
  const path = `${level.path}/runners/registration-token`
  const common = {
    area,
    scopes: [area],
    guard: guards.owner,
    summary: 'The token by which runners register; the same every time',
    responses: { 200: RegistrationToken },
    errors: [401, 403, 404],
    handler: async ({ access }: { readonly access: Access }) =>
      ok({ token: await runners.registrationToken(scope(access)) }),
  } as const
  return [
    defineOperation({
      ...common,
      id: `${name}GetRunnerRegistrationToken`,
      method: 'GET',
      // COMPAT: clients request the token of the site at a path of another form (test/automation/runners.test.ts).
      ...(name === 'admin' ? { path: '/admin/runners/registration-token', aliases: [path] } : { path }),
    }),
    defineOperation({ ...common, id: `${name}CreateRunnerRegistrationToken`, method: 'POST', path }),
  ]
}

function listOperations<Access>(
  { runners, registration, clock }: RunnerOperationDeps,
  level: ActionsLevel<Access>,
): Operation[] {
  const { path, area, guards, scope } = level
  return [
    defineOperation({
      id: `get${capitalized(level)}Runners`,
      method: 'GET',
      path: `${path}/runners`,
      area,
      scopes: [area],
      summary: 'List runners, the one that was online last first',
      guard: guards.owner,
      query: listQuery,
      responses: { 200: ActionRunnersResponse },
      errors: [401, 403, 404],
      async handler({ access, query, paging }) {
        const page = await runners.list(scope(access), {
          isDisabled: query.disabled,
          includesInherited: query.visible,
          paging,
        })
        const now = clock.now()
        return counted(
          page,
          'runners',
          page.items.map((runner) => presentRunner(runner, now)),
        )
      },
    }),
    defineOperation({
      id: `register${capitalized(level)}Runner`,
      method: 'POST',
      path: `${path}/runners`,
      area,
      scopes: [area],
      summary: 'Create a runner that starts with this uuid and token, without registering',
      guard: guards.owner,
      body: RegisterRunnerOption,
      responses: { 201: RegisterRunnerResponse },
      errors: [401, 403, 404, 422],
      async handler({ access, viewer, body: { name, description, ephemeral = false } }) {
        const wanted = { name, description, isEphemeral: ephemeral }
        const { runner, token } = await registration.create(requireUser(viewer), scope(access), wanted)
        return created({ id: runner.id, uuid: runner.uuid, token })
      },
    }),
  ]
}

function singleOperations<Access>({ runners, clock }: RunnerOperationDeps, level: ActionsLevel<Access>): Operation[] {
  const { path, area, guards, scope } = level
  const kind = capitalized(level)
  const common = { path: `${path}/runners/{runner_id:int}`, area, scopes: [area], guard: guards.owner } as const
  return [
    defineOperation({
      ...common,
      id: `get${kind}Runner`,
      method: 'GET',
      summary: 'A runner',
      responses: { 200: ActionRunner },
      errors: [401, 403, 404],
      handler: async ({ access, params }) =>
        ok(presentRunner(await runners.get(scope(access), params.runner_id), clock.now())),
    }),
    defineOperation({
      ...common,
      id: `update${kind}Runner`,
      method: 'PATCH',
      summary: 'Disable or enable a runner; a disabled one stays connected and gets no tasks',
      body: EditActionRunnerOption,
      responses: { 200: ActionRunner },
      errors: [401, 403, 404, 422],
      async handler({ access, viewer, params, body }) {
        const actor = requireUser(viewer)
        const runner = await runners.setDisabled(actor, scope(access), params.runner_id, body.disabled)
        return ok(presentRunner(runner, clock.now()))
      },
    }),
    defineOperation({
      ...common,
      id: `delete${kind}Runner`,
      method: 'DELETE',
      summary: 'Delete a runner',
      responses: { 204: null },
      errors: [401, 403, 404],
      async handler({ access, viewer, params }) {
        await runners.delete(requireUser(viewer), scope(access), params.runner_id)
        return noContent()
      },
    }),
  ]
}
