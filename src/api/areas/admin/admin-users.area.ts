import { User } from '../../../contract/models/user.ts'
import { CreateUserOption } from '../../../contract/options/create-user.ts'
import type { NewUser } from '../../../domain/users/index.ts'
import { presentUser } from '../../../present/user.present.ts'
import { created } from '../../answer.ts'
import { siteAdmin } from '../../guards/account.guards.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

/** Accounts as site administrators manage them (reference users-and-admin §13). */
export function adminUserOperations({ site, users }: Pick<AreaDeps, 'site' | 'users'>): Operation[] {
  return [
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
        return created(presentUser(await users.create(access.account.id, newUser(body)), viewer, site))
      },
    }),
  ]
}

/** COMPAT: a new account must change its password unless the request says otherwise. */
function newUser(body: CreateUserOption): NewUser {
  return {
    name: body.username,
    email: body.email,
    password: body.password,
    fullName: body.full_name,
    isRestricted: body.restricted,
    mustChangePassword: body.must_change_password ?? true,
    visibility: body.visibility || undefined,
    loginName: body.login_name,
    sourceId: body.source_id,
    createdAt: body.created_at ? Date.parse(body.created_at) : undefined,
  }
}
