import { Type } from '@sinclair/typebox'
import { type ApiResponse, created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { requireUser, signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Paging } from '../../../../core/platform/paging.ts'
import type { Guards } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import type { User } from '../../users/user.store.ts'
import { AccessToken, CreateAccessTokenOption, CurrentAccessToken } from '../sign-in.model.ts'
import { presentAccessToken, presentCurrentToken } from './access-token.present.ts'
import { errors } from '../../../errors.ts'
import type { Tokens } from './tokens.service.ts'

interface TokenOperationDeps {
  readonly guards: Pick<Guards, 'adminOfUser' | 'tokenOwner'>
  readonly tokens: Tokens
}

/** Personal access tokens (behaviour/auth-and-access#personal-access-tokens). */
export const tokenOperations = (deps: TokenOperationDeps): Operation[] => [
  ...ownerOperations(deps),
  ...adminOperations(deps),
  ...currentOperations(deps),
]

function ownerOperations({ guards, tokens }: TokenOperationDeps): Operation[] {
  return [
    defineOperation({
      id: 'userGetTokens',
      method: 'GET',
      path: '/users/{username}/tokens',
      area: 'user',
      summary: "List a user's access tokens",
      scopes: ['user'],
      guard: guards.tokenOwner,
      query: pagingQuery,
      responses: { 200: Type.Array(AccessToken) },
      errors: [403, 404],
      handler: ({ access: user, paging }) => answerList(tokens, user, paging),
    }),
    defineOperation({
      id: 'userCreateToken',
      method: 'POST',
      path: '/users/{username}/tokens',
      area: 'user',
      summary: 'Create an access token; the answer shows its value for the only time',
      scopes: ['user'],
      guard: guards.tokenOwner,
      body: CreateAccessTokenOption,
      responses: { 201: AccessToken },
      errors: [400, 403, 404, 422],
      handler: ({ access: user, body, viewer }) => createToken(tokens, requireUser(viewer), user, body),
    }),
    defineOperation({
      id: 'userDeleteAccessToken',
      method: 'DELETE',
      path: '/users/{username}/tokens/{token}',
      area: 'user',
      summary: 'Delete an access token by id or name',
      scopes: ['user'],
      guard: guards.tokenOwner,
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access: user, params, viewer }) {
        await tokens.delete(requireUser(viewer), user.id, params.token)
        return noContent()
      },
    }),
  ]
}

/** Operations for servers where signing in with a password is disabled: a token of an administrator is enough. */
function adminOperations({ guards, tokens }: TokenOperationDeps): Operation[] {
  const common = { area: 'admin', scopes: ['admin'], guard: guards.adminOfUser } as const
  const path = '/admin/users/{username}/tokens'
  return [
    defineOperation({
      ...common,
      id: 'adminListUserAccessTokens',
      method: 'GET',
      path,
      summary: "List a user's access tokens",
      query: pagingQuery,
      responses: { 200: Type.Array(AccessToken) },
      errors: [403, 404],
      handler: ({ access: { user }, paging }) => answerList(tokens, user, paging),
    }),
    defineOperation({
      ...common,
      id: 'adminCreateUserAccessToken',
      method: 'POST',
      path,
      summary: 'Create an access token of a user; the answer shows its value for the only time',
      body: CreateAccessTokenOption,
      responses: { 201: AccessToken },
      errors: [400, 403, 404, 422],
      handler: ({ access: { actor, user }, body }) => createToken(tokens, actor, user, body),
    }),
    defineOperation({
      ...common,
      id: 'adminDeleteUserAccessToken',
      method: 'DELETE',
      path: `${path}/{token}`,
      summary: "Delete a user's access token by id or name",
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access: { actor, user }, params }) {
        await tokens.delete(actor, user.id, params.token)
        return noContent()
      },
    }),
  ]
}

/** The token of the request itself, whatever its scopes (behaviour/auth-and-access#personal-access-tokens). */
function currentOperations({ tokens }: TokenOperationDeps): Operation[] {
  const common = { path: '/token', area: 'miscellaneous', guard: signedIn } as const
  return [
    defineOperation({
      ...common,
      id: 'getCurrentToken',
      method: 'GET',
      summary: 'The access token of this request',
      responses: { 200: CurrentAccessToken },
      errors: [401, 404],
      handler: async ({ access }) => ok(presentCurrentToken(await tokens.current(access), access.account)),
    }),
    defineOperation({
      ...common,
      id: 'deleteCurrentToken',
      method: 'DELETE',
      summary: 'Delete the access token of this request',
      responses: { 204: null },
      errors: [401, 404],
      async handler({ access }) {
        const { token } = await tokens.current(access)
        await tokens.delete(access, token.userId, String(token.id))
        return noContent()
      },
    }),
  ]
}

async function answerList(tokens: Tokens, user: User, paging: Paging): Promise<ApiResponse> {
  const page = await tokens.list(user.id, paging)
  return listed(
    page,
    page.items.map((view) => presentAccessToken(view)),
    { link: false },
  )
}

async function createToken(
  tokens: Tokens,
  actor: SignedIn,
  user: User,
  body: CreateAccessTokenOption,
): Promise<ApiResponse> {
  if (user.kind !== 'individual') throw errors.notAnIndividual(user.name)
  const made = await tokens.create(actor, user.id, {
    name: body.name,
    scopes: body.scopes ?? [],
    expiresAt: body.expires_at === undefined ? undefined : Date.parse(body.expires_at),
    repositories: body.repositories?.map((repo) => (typeof repo === 'string' ? repo : `${repo.owner}/${repo.name}`)),
    madeBy: actor.tokenId,
  })
  return created(presentAccessToken(made, made.value))
}
