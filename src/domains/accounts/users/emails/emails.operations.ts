import { Type } from '@sinclair/typebox'
import { URL_LENGTH } from '../../../../core/http/body/limits.ts'
import { created, listed, noContent, ok } from '../../../../core/http/answer/answer.ts'
import { signedIn, siteAdmin } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { pagingMembers, pagingQuery } from '../../../../core/http/openapi/paging-members.ts'
import { CreateEmailOption, DeleteEmailOption, Email } from '../user.model.ts'
import { presentEmail, presentOwnEmail } from '../users.present.ts'
import type { UserGuards } from '../user.guards.ts'
import type { Emails } from './emails.service.ts'

interface Deps {
  readonly guards: Pick<UserGuards, 'adminOfUser'>
  readonly emails: Emails
}

/**
 * Addresses of the signed-in user, and of all for site administrators (behaviour/users-and-admin#current-user,
 * behaviour/users-and-admin#other-administration).
 */
export function emailOperations(deps: Deps): Operation[] {
  return [...own(deps), ...admin(deps)]
}

function own({ emails }: Deps): Operation[] {
  const common = { path: '/user/emails', area: 'user', scopes: ['user'], guard: signedIn } as const
  return [
    defineOperation({
      ...common,
      id: 'userListEmails',
      method: 'GET',
      summary: 'List your e-mail addresses',
      responses: { 200: Type.Array(Email) },
      handler: async ({ access: { account } }) => ok((await emails.list(account.id)).map(presentOwnEmail)),
    }),
    defineOperation({
      ...common,
      id: 'userAddEmail',
      method: 'POST',
      summary: 'Add e-mail addresses; answers all of them',
      body: CreateEmailOption,
      responses: { 201: Type.Array(Email) },
      errors: [422],
      async handler({ access, body }) {
        await emails.add(access, body.emails ?? [])
        return created((await emails.list(access.account.id)).map(presentOwnEmail))
      },
    }),
    defineOperation({
      ...common,
      id: 'userDeleteEmail',
      method: 'DELETE',
      summary: 'Delete e-mail addresses, except the primary one',
      body: DeleteEmailOption,
      responses: { 204: null },
      errors: [404, 422],
      async handler({ access, body }) {
        await emails.delete(access, access.account.id, body.emails ?? [])
        return noContent()
      },
    }),
  ]
}

function admin({ guards, emails }: Deps): Operation[] {
  const ofUser = { area: 'admin', scopes: ['admin'], guard: guards.adminOfUser } as const
  const path = '/admin/users/{username}/emails'
  const common = {
    method: 'GET',
    area: 'admin',
    scopes: ['admin'],
    guard: siteAdmin,
    responses: { 200: Type.Array(Email) },
    errors: [403],
  } as const
  return [
    defineOperation({
      ...common,
      id: 'adminGetAllEmails',
      path: '/admin/emails',
      summary: 'List all e-mail addresses',
      query: pagingQuery,
      async handler({ paging }) {
        const page = await emails.search('', paging)
        return listed(page, page.items.map(presentEmail))
      },
    }),
    defineOperation({
      ...common,
      id: 'adminSearchEmails',
      path: '/admin/emails/search',
      summary: 'Search all e-mail addresses',
      query: Type.Object({
        q: Type.Optional(Type.String({ maxLength: URL_LENGTH, description: 'Part of login, full name or address' })),
        ...pagingMembers,
      }),
      async handler({ query, paging }) {
        const page = await emails.search(query.q?.trim() ?? '', paging)
        return listed(page, page.items.map(presentEmail))
      },
    }),
    defineOperation({
      ...ofUser,
      id: 'adminListUserEmails',
      method: 'GET',
      path,
      summary: "List a user's e-mail addresses",
      responses: { 200: Type.Array(Email) },
      errors: [403, 404],
      handler: async ({ access: { user } }) =>
        ok((await emails.list(user.id)).map((address) => presentEmail({ ...address, userName: user.name }))),
    }),
    defineOperation({
      ...ofUser,
      id: 'adminDeleteUserEmails',
      method: 'DELETE',
      path,
      summary: 'Delete e-mail addresses of a user, except the primary one',
      body: DeleteEmailOption,
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access: { actor, user }, body }) {
        await emails.delete(actor, user.id, body.emails ?? [])
        return noContent()
      },
    }),
  ]
}
