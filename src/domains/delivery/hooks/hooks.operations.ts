import { Type } from '@sinclair/typebox'
import { NAME_LENGTH, PATH_LENGTH } from '../../../core/http/body/limits.ts'
import {
  type ApiResponse,
  created,
  listed,
  noContent,
  ok,
  unknownWords,
  withWarnings,
} from '../../../core/http/answer/answer.ts'
import { requireUser, signedIn, siteAdmin } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers, pagingQuery } from '../../../core/http/openapi/paging-members.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import type { Guards } from '../../../core/module.ts'
import { deliveryOperations } from './delivery/history/history.operations.ts'
import type { Deliveries } from './delivery/history/deliveries.service.ts'
import type { OwnerKind } from './hook-owner-kind.ts'
import { CreateHookOption, EditHookOption, Hook } from './hook.model.ts'
import { presentHook } from './hook.present.ts'
import { isHookEvent } from './hooks.policy.ts'
import type { HookChange, Hooks } from './hooks.service.ts'
import type { TestHook } from './testing/test-hook.ts'
import type { HookOwner } from './webhook.store.ts'
import type { Repo } from '../../repositories/index.ts'

interface HookOperationDeps {
  readonly guards: Pick<Guards, 'org' | 'repo'>
  readonly hooks: Hooks
  readonly deliveries: Deliveries
  readonly testHook: TestHook
  /** Only webhooks of the site are enabled. */
  readonly disabled: boolean
}

const ids = (prefix: string) => ({
  list: `${prefix}ListHooks`,
  create: `${prefix}CreateHook`,
  get: `${prefix}GetHook`,
  edit: `${prefix}EditHook`,
  delete: `${prefix}DeleteHook`,
  listDeliveries: `${prefix}ListHookDeliveries`,
  getDelivery: `${prefix}GetHookDelivery`,
  redeliver: `${prefix}RedeliverHookDelivery`,
})

const ALL_OF_SITE: HookOwner = { scope: 'site', scopes: ['system', 'default'] }
const siteListQuery = Type.Object({
  ...pagingMembers,
  type: Type.Optional(Type.String({ maxLength: NAME_LENGTH, description: 'system, default or all' })),
})

/** Webhooks of repositories, organizations, users and the site (behaviour/orgs-webhooks-actions#webhooks). */
export function hookOperations({ guards, hooks, deliveries, testHook, disabled }: HookOperationDeps): Operation[] {
  const unlessDisabled = <Access>(guard: Guard<Access>): Guard<Access> =>
    disabled ? { ...guard, decide: refuse } : guard
  const repoAdmin = unlessDisabled(guards.repo(disabled ? 'see' : 'admin', { needsUser: true }))
  return [
    ...testHookOperations(testHook, repoAdmin),
    ...operationsFor(
      { hooks, deliveries },
      {
        root: '/repos/{owner}/{repo}/hooks',
        area: 'repository',
        guard: repoAdmin,
        owner: ({ repo }) => ({ scope: 'repository', repoId: repo.id }),
        ids: ids('repo'),
        link: false,
      },
    ),
    ...operationsFor(
      { hooks, deliveries },
      {
        root: '/orgs/{org}/hooks',
        area: 'organization',
        guard: unlessDisabled(guards.org('owner')),
        owner: ({ org }) => ({ scope: 'organization', ownerId: org.id }),
        ids: ids('org'),
        link: true,
      },
    ),
    ...operationsFor(
      { hooks, deliveries },
      {
        root: '/user/hooks',
        area: 'user',
        guard: unlessDisabled(signedIn),
        owner: ({ account }) => ({ scope: 'user', ownerId: account.id }),
        ids: ids('user'),
        link: true,
      },
    ),
    ...operationsFor(
      { hooks, deliveries },
      {
        root: '/admin/hooks',
        area: 'admin',
        guard: siteAdmin,
        owner: () => ALL_OF_SITE,
        ids: ids('admin'),
        link: true,
        listQuery: siteListQuery,
        listOwner: ({ type }) =>
          type === 'all' ? ALL_OF_SITE : { scope: 'site', scopes: [type === 'default' ? 'default' : 'system'] },
      },
    ),
  ]
}

function refuse(): never {
  throw forbidden('webhooks disabled by administrator')
}

function operationsFor<Access>(
  { hooks, deliveries }: Pick<HookOperationDeps, 'hooks' | 'deliveries'>,
  kind: OwnerKind<Access>,
): Operation[] {
  return [...collection(hooks, kind), ...single(hooks, kind), ...deliveryOperations(deliveries, kind)]
}

function collection<Access>(hooks: Hooks, kind: OwnerKind<Access>): Operation[] {
  const { area, guard, owner } = kind
  const common = { path: kind.root, area, scopes: [area], guard } as const
  return [
    defineOperation({
      ...common,
      id: kind.ids.list,
      method: 'GET',
      summary: 'List webhooks',
      query: kind.listQuery ?? pagingQuery,
      responses: { 200: Type.Array(Hook) },
      errors: [403, 404],
      async handler({ access, query, paging }) {
        const page = await hooks.list(kind.listOwner?.(query) ?? owner(access), paging)
        return listed(page, page.items.map(presentHook), { link: kind.link })
      },
    }),
    defineOperation({
      ...common,
      id: kind.ids.create,
      method: 'POST',
      summary: 'Make a webhook; it is off unless the body says otherwise',
      body: CreateHookOption,
      responses: { 201: Hook },
      errors: [400, 403, 404, 422],
      handler: async ({ access, body, viewer }) =>
        warningOfEvents(
          body,
          created(
            presentHook(
              await hooks.create(requireUser(viewer), owner(access), {
                type: body.type,
                ...readChange(body),
                config: body.config,
                isSystem: body.is_system_webhook,
              }),
            ),
          ),
        ),
    }),
  ]
}

function single<Access>(hooks: Hooks, { root, area, guard, owner, ids: operationIds }: OwnerKind<Access>): Operation[] {
  const common = { path: `${root}/{id:int}`, area, scopes: [area], guard } as const
  return [
    defineOperation({
      ...common,
      id: operationIds.get,
      method: 'GET',
      summary: 'A webhook, without its secret',
      responses: { 200: Hook },
      errors: [403, 404],
      handler: async ({ access, params }) => ok(presentHook(await hooks.get(owner(access), params.id))),
    }),
    defineOperation({
      ...common,
      id: operationIds.edit,
      method: 'PATCH',
      summary: 'Edit a webhook; absent events, branch filter and authorization header are reset',
      body: EditHookOption,
      responses: { 200: Hook },
      errors: [400, 403, 404, 422],
      handler: async ({ access, params, body, viewer }) =>
        warningOfEvents(
          body,
          ok(presentHook(await hooks.edit(requireUser(viewer), owner(access), params.id, readChange(body)))),
        ),
    }),
    defineOperation({
      ...common,
      id: operationIds.delete,
      method: 'DELETE',
      summary: 'Delete a webhook',
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, params, viewer }) {
        await hooks.delete(requireUser(viewer), owner(access), params.id)
        return noContent()
      },
    }),
  ]
}

const warningOfEvents = ({ events = [] }: EditHookOption, answer: ApiResponse): ApiResponse =>
  withWarnings(answer, unknownWords('events', events, isHookEvent))

function readChange(body: EditHookOption): HookChange {
  const {
    config,
    name,
    events,
    branch_filter: branchFilter,
    authorization_header: authorizationHeader,
    active: isActive,
  } = body
  return { config, name, events, branchFilter, authorizationHeader, isActive }
}

/** Sends a test delivery of a webhook of a repository (behaviour/orgs-webhooks-actions#webhooks). */
function testHookOperations(testHook: TestHook, guard: Guard<{ readonly repo: Repo }>): Operation[] {
  return [
    defineOperation({
      id: 'repoTestHook',
      method: 'POST',
      path: '/repos/{owner}/{repo}/hooks/{id:int}/tests',
      area: 'repository',
      summary: 'Send a push of the default branch, or of another ref, to a webhook',
      scopes: ['repository'],
      guard,
      query: Type.Object({
        ref: Type.Optional(Type.String({ maxLength: PATH_LENGTH, description: 'a branch, a tag or a commit' })),
      }),
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access: { repo }, params, query: { ref }, viewer }) {
        await testHook(requireUser(viewer), { repo, hookId: params.id, ref })
        return noContent()
      },
    }),
  ]
}
