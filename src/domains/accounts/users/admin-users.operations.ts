import { Type } from '@sinclair/typebox'
import { created, listed, noContent, ok } from '../../../core/http/answer/answer.ts'
import { siteAdmin } from '../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { pagingMembers } from '../../../core/http/openapi/paging-members.ts'
import { errors } from '../../errors.ts'
import type { Site } from '../../../core/platform/site.ts'
import type { Guards } from '../../../core/module.ts'
import { adminUserQuery, readUserFilter, readUserOrder } from './admin-users.query.ts'
import type { NewUser } from './accounts/create-user.ts'
import type { UserEdit } from './accounts/edit-user.ts'
import { CreateUserOption, EditUserOption, RenameUserOption, User } from './user.model.ts'
import { presentUser } from './user.present.ts'
import type { Users } from './users.service.ts'

interface Deps {
  readonly guards: Pick<Guards, 'adminOfUser'>
  readonly site: Site
  readonly users: Users
}

/** Administration of accounts (behaviour/users-and-admin#administration-of-users). */
export function adminUserOperations(deps: Deps): Operation[] {
  return [...readAndCreate(deps), ...change(deps)]
}

function readAndCreate({ site, users }: Deps): Operation[] {
  return [
    defineOperation({
      id: 'adminSearchUsers',
      method: 'GET',
      path: '/admin/users',
      area: 'admin',
      summary: 'List and search all users',
      scopes: ['admin'],
      guard: siteAdmin,
      query: Type.Object({ ...adminUserQuery, ...pagingMembers }),
      responses: { 200: Type.Array(User) },
      errors: [403, 422],
      async handler({ viewer, query, paging }) {
        const page = await users.list(readUserFilter(query), readUserOrder(query), paging)
        return listed(
          page,
          page.items.map((user) => presentUser(user, viewer, site)),
        )
      },
    }),
    defineOperation({
      id: 'adminCreateUser',
      method: 'POST',
      path: '/admin/users',
      area: 'admin',
      summary: 'Create a user',
      scopes: ['admin'],
      guard: siteAdmin,
      body: CreateUserOption,
      responses: { 201: User },
      errors: [400, 403, 422],
      async handler({ viewer, access, body }) {
        return created(presentUser(await users.create(access, newUser(body)), viewer, site))
      },
    }),
  ]
}

function change({ guards, site, users }: Deps): Operation[] {
  return [
    defineOperation({
      id: 'adminEditUser',
      method: 'PATCH',
      path: '/admin/users/{username}',
      area: 'admin',
      summary: 'Edit a user',
      scopes: ['admin'],
      guard: guards.adminOfUser,
      body: EditUserOption,
      responses: { 200: User },
      errors: [400, 403, 404, 422],
      async handler({ viewer, access: { actor, user }, body }) {
        return ok(presentUser(await users.edit(actor, user, userEdit(body)), viewer, site))
      },
    }),
    defineOperation({
      id: 'adminRenameUser',
      method: 'POST',
      path: '/admin/users/{username}/rename',
      area: 'admin',
      summary: 'Rename a user; the old name redirects to the new one',
      scopes: ['admin'],
      guard: guards.adminOfUser,
      body: RenameUserOption,
      responses: { 204: null },
      errors: [403, 404, 422],
      async handler({ access: { actor, user }, body }) {
        if (user.kind === 'organization') throw errors.notAnIndividual(user.name)
        await users.rename(actor, user, body.new_username)
        return noContent()
      },
    }),
  ]
}

/**
 * COMPAT: new accounts must change their password unless the request disables it
 * (test/accounts/users/admin-users.test.ts). Accounts of a sign-in source have none here to change.
 */
function newUser(body: CreateUserOption): NewUser {
  return {
    name: body.username,
    email: body.email,
    password: body.password,
    fullName: body.full_name,
    isRestricted: body.restricted,
    mustChangePassword: body.must_change_password ?? !body.source_id,
    visibility: body.visibility || undefined,
    loginName: body.login_name,
    sourceId: body.source_id,
    createdAt: body.created_at ? Date.parse(body.created_at) : undefined,
  }
}

/** NOTE: an empty visibility counts as absent; so does an empty login_name, except for accounts of this server. */
function userEdit(body: EditUserOption): UserEdit {
  return {
    loginName: body.login_name || (body.source_id === 0 ? body.login_name : undefined),
    sourceId: body.source_id,
    email: body.email,
    password: body.password,
    fullName: body.full_name,
    website: body.website,
    location: body.location,
    description: body.description,
    pronouns: body.pronouns,
    isEmailHidden: body.hide_email,
    visibility: body.visibility || undefined,
    maxRepoCreation: body.max_repo_creation,
    isActive: body.active,
    isAdmin: body.admin,
    isRestricted: body.restricted,
    isLoginProhibited: body.prohibit_login,
    mustChangePassword: body.must_change_password,
    canCreateOrganization: body.allow_create_organization,
  }
}
