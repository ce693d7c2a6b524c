import { Type } from '@sinclair/typebox'
import { type ApiResponse, created, listed, noContent, ok, text } from '../../../core/http/answer/answer.ts'
import { signedIn } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import type { UserId } from '../../../core/platform/crypto/ids.ts'
import { type Paging } from '../../../core/platform/paging.ts'
import type { Guards } from '../../../core/module.ts'
import { CreateGPGKeyOption, GPGKey, VerifyGPGKeyOption } from './keys.model.ts'
import { presentGpgKey } from './keys.present.ts'
import type { GpgKeys } from './gpg-keys.service.ts'

interface Deps {
  readonly gpgKeys: GpgKeys
  readonly guards: Pick<Guards, 'visibleUserSignedIn'>
}

const common = { area: 'user', scopes: ['user'] } as const
const listQuery = Type.Object(pagingMembers)

/** GPG keys of the signed-in user and of others, and their verification (behaviour/users-and-admin#gpg-keys). */
export function gpgKeyOperations(deps: Deps): Operation[] {
  return [...lists(deps), ...own(deps), ...proofs(deps)]
}

function lists({ gpgKeys, guards }: Deps): Operation[] {
  const list = async (userId: UserId, paging: Paging): Promise<ApiResponse> => {
    const page = await gpgKeys.list(userId, paging)
    return listed(page, page.items.map(presentGpgKey), { link: false })
  }
  return [
    defineOperation({
      ...common,
      id: 'userCurrentListGPGKeys',
      method: 'GET',
      path: '/user/gpg_keys',
      summary: 'List your GPG keys',
      guard: signedIn,
      query: listQuery,
      responses: { 200: Type.Array(GPGKey) },
      handler: ({ access: { account }, paging }) => list(account.id, paging),
    }),
    defineOperation({
      ...common,
      id: 'userListGPGKeys',
      method: 'GET',
      path: '/users/{username}/gpg_keys',
      summary: "List a user's GPG keys",
      guard: guards.visibleUserSignedIn,
      query: listQuery,
      responses: { 200: Type.Array(GPGKey) },
      errors: [404],
      handler: ({ access: user, paging }) => list(user.id, paging),
    }),
  ]
}

function own({ gpgKeys }: Deps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'userCurrentGetGPGKey',
      method: 'GET',
      path: '/user/gpg_keys/{id:int}',
      summary: 'A GPG key of yours',
      guard: signedIn,
      responses: { 200: GPGKey },
      errors: [404],
      handler: async ({ access: { account }, params }) => ok(presentGpgKey(await gpgKeys.get(account.id, params.id))),
    }),
    defineOperation({
      ...common,
      id: 'userCurrentPostGPGKey',
      method: 'POST',
      path: '/user/gpg_keys',
      summary: 'Add a GPG key that has one of your addresses, or signed the token',
      guard: signedIn,
      body: CreateGPGKeyOption,
      responses: { 201: GPGKey },
      errors: [422],
      handler: async ({ access, body }) =>
        created(
          presentGpgKey(
            await gpgKeys.add(access, {
              armoredKey: body.armored_public_key,
              armoredSignature: body.armored_signature,
            }),
          ),
        ),
    }),
    defineOperation({
      ...common,
      id: 'userCurrentDeleteGPGKey',
      method: 'DELETE',
      path: '/user/gpg_keys/{id:int}',
      summary: 'Delete a GPG key with its subkeys',
      guard: signedIn,
      responses: { 204: null },
      errors: [403],
      async handler({ access, params }) {
        await gpgKeys.delete(access, params.id)
        return noContent()
      },
    }),
  ]
}

function proofs({ gpgKeys }: Deps): Operation[] {
  return [
    defineOperation({
      ...common,
      id: 'getVerificationToken',
      method: 'GET',
      path: '/user/gpg_key_token',
      summary: 'The text to sign to prove a GPG key',
      guard: signedIn,
      responses: { 200: Type.String({ contentMediaType: 'text/plain' }) },
      handler: async ({ access: { account } }) => text(await gpgKeys.token(account.id)),
    }),
    defineOperation({
      ...common,
      id: 'userVerifyGPGKey',
      method: 'POST',
      path: '/user/gpg_key_verify',
      summary: 'Prove a GPG key by a signature over the token',
      guard: signedIn,
      body: VerifyGPGKeyOption,
      responses: { 200: GPGKey },
      errors: [404, 422],
      handler: async ({ access, body }) =>
        ok(
          presentGpgKey(await gpgKeys.verify(access, { keyId: body.key_id, armoredSignature: body.armored_signature })),
        ),
    }),
  ]
}
