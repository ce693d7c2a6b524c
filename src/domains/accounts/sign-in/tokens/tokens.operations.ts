import { Type } from '@sinclair/typebox'
import { created, listed, noContent } from '../../../../core/http/answer/answer.ts'
import { requireUser } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import type { Guards } from '../../../../core/module.ts'
import { AccessToken, CreateAccessTokenOption } from '../sign-in.model.ts'
import { presentAccessToken } from './access-token.present.ts'
import type { Tokens } from './tokens.service.ts'

interface TokenOperationDeps {
  readonly guards: Pick<Guards, 'tokenOwner'>
  readonly tokens: Tokens
}

/** Personal access tokens (behaviour/auth-and-access#personal-access-tokens). */
export function tokenOperations({ guards, tokens }: TokenOperationDeps): Operation[] {
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
      async handler({ access: user, paging }) {
        const page = await tokens.list(user.id, paging)
        return listed(
          page,
          page.items.map((view) => presentAccessToken(view)),
          { link: false },
        )
      },
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
      async handler({ access: user, body, viewer }) {
        const made = await tokens.create(requireUser(viewer), user.id, {
          name: body.name,
          scopes: body.scopes ?? [],
          expiresAt: body.expires_at === undefined ? undefined : Date.parse(body.expires_at),
          repositories: body.repositories,
          madeBy: viewer.kind === 'user' ? viewer.tokenId : undefined,
        })
        return created(presentAccessToken(made, made.value))
      },
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
