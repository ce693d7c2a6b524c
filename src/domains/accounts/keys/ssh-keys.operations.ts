import { Type } from '@sinclair/typebox'
import { NAME_LENGTH } from '../../../core/http/body/limits.ts'
import type { Viewer } from '../../../core/access/viewer.ts'
import { type ApiResponse, created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { forbidden } from '../../../core/platform/errors.ts'
import { type Page } from '../../../core/platform/paging.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import type { User } from '../users/user.store.ts'
import type { Users } from '../users/users.service.ts'
import { CreateKeyOption, PublicKey } from './keys.model.ts'
import { presentPublicKey } from './keys.present.ts'
import type { UserKey } from './public-key.store.ts'
import type { SshKeys } from './ssh-keys.service.ts'

interface Deps {
  readonly guards: Pick<Guards, 'adminOfUser' | 'visibleUserSignedIn'>
  readonly site: Site
  readonly sshKeys: SshKeys
  readonly users: Pick<Users, 'mapByIds'>
}

const listQuery = Type.Object({
  fingerprint: Type.Optional(
    Type.String({ maxLength: NAME_LENGTH, description: 'Only the key with this SHA256: fingerprint' }),
  ),
  ...pagingMembers,
})

/**
 * SSH keys of the signed-in user and of others, and adding keys as an administrator
 * (behaviour/users-and-admin#ssh-keys).
 */
export function sshKeyOperations(deps: Deps): Operation[] {
  return [...lists(deps), ...own(deps), ...admin(deps)]
}

async function listKeys({ site, users }: Deps, page: Page<UserKey>, viewer: Viewer): Promise<ApiResponse> {
  const owners = await users.mapByIds(page.items.map((key) => key.userId))
  return listed(
    page,
    page.items.map((key) => presentPublicKey(key, owners.get(key.userId), viewer, site)),
  )
}

function lists(deps: Deps): Operation[] {
  const { guards, sshKeys } = deps
  return [
    defineOperation({
      id: 'userCurrentListKeys',
      method: 'GET',
      path: '/user/keys',
      area: 'user',
      summary: 'List your SSH keys; with a fingerprint, the key of any user',
      scopes: ['user'],
      guard: signedIn,
      query: listQuery,
      responses: { 200: Type.Array(PublicKey) },
      handler: async ({ viewer, access, query, paging }) =>
        listKeys(
          deps,
          await (query.fingerprint
            ? sshKeys.findByFingerprint(query.fingerprint, paging)
            : sshKeys.list(access.account.id, undefined, paging)),
          viewer,
        ),
    }),
    defineOperation({
      id: 'userListKeys',
      method: 'GET',
      path: '/users/{username}/keys',
      area: 'user',
      summary: "List a user's SSH keys",
      scopes: ['user'],
      guard: guards.visibleUserSignedIn,
      query: listQuery,
      responses: { 200: Type.Array(PublicKey) },
      errors: [404],
      handler: async ({ viewer, access: user, query, paging }) =>
        listKeys(deps, await sshKeys.list(user.id, query.fingerprint || undefined, paging), viewer),
    }),
  ]
}

function own({ site, sshKeys, users }: Deps): Operation[] {
  return [
    defineOperation({
      id: 'userCurrentGetKey',
      method: 'GET',
      path: '/user/keys/{id:int}',
      area: 'user',
      summary: 'An SSH key',
      scopes: ['user'],
      guard: signedIn,
      responses: { 200: PublicKey },
      errors: [404],
      async handler({ viewer, params }) {
        const key = await sshKeys.get(params.id)
        return ok(presentPublicKey(key, (await users.mapByIds([key.userId])).get(key.userId), viewer, site))
      },
    }),
    defineOperation({
      id: 'userCurrentPostKey',
      method: 'POST',
      path: '/user/keys',
      area: 'user',
      summary: 'Add an SSH key',
      scopes: ['user'],
      guard: signedIn,
      body: CreateKeyOption,
      responses: { 201: PublicKey },
      errors: [422],
      async handler({ viewer, access, body }) {
        const { account } = access
        const key = await sshKeys.add(access, account.id, body)
        return created(presentPublicKey(key, (await users.mapByIds([account.id])).get(account.id), viewer, site))
      },
    }),
    defineOperation({
      id: 'userCurrentDeleteKey',
      method: 'DELETE',
      path: '/user/keys/{id:int}',
      area: 'user',
      summary: 'Delete an SSH key',
      scopes: ['user'],
      guard: signedIn,
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access, params }) {
        // An administrator may delete any key (behaviour/users-and-admin#ssh-keys).
        const { isAdmin, id: userId } = access.account
        await sshKeys.delete(access, isAdmin ? (await sshKeys.get(params.id)).userId : userId, params.id)
        return noContent()
      },
    }),
  ]
}

function admin({ guards, site, sshKeys }: Deps): Operation[] {
  return [
    defineOperation({
      id: 'adminCreatePublicKey',
      method: 'POST',
      path: '/admin/users/{username}/keys',
      area: 'admin',
      summary: 'Add an SSH key to a user',
      scopes: ['admin'],
      guard: guards.adminOfUser,
      body: CreateKeyOption,
      responses: { 201: PublicKey },
      errors: [403, 404, 422],
      async handler({ viewer, access: { actor, user }, body }) {
        return created(presentPublicKey(await sshKeys.add(actor, requireIndividual(user).id, body), user, viewer, site))
      },
    }),
    defineOperation({
      id: 'adminDeleteUserPublicKey',
      method: 'DELETE',
      path: '/admin/users/{username}/keys/{id:int}',
      area: 'admin',
      summary: "Delete a user's SSH key",
      scopes: ['admin'],
      guard: guards.adminOfUser,
      responses: { 204: null },
      errors: [403, 404],
      async handler({ access: { actor, user }, params }) {
        const id = params.id
        // COMPAT: under the name of an administrator, keys of all users can be deleted
        // (test/accounts/keys/ssh-keys.test.ts).
        await sshKeys.delete(actor, user.isAdmin ? (await sshKeys.get(id)).userId : user.id, id)
        return noContent()
      },
    }),
  ]
}

function requireIndividual(user: User): User {
  if (user.kind !== 'individual') throw forbidden('organizations have no keys')
  return user
}
