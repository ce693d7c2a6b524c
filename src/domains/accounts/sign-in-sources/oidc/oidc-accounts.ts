import { randomUUID } from 'node:crypto'
import { type Actor, systemActor } from '../../../../core/access/viewer.ts'
import type { Core } from '../../../../core/module.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import type { UserEdit } from '../../users/accounts/edit-user.ts'
import { isEmailAddress } from '../../users/users.policy.ts'
import type { User } from '../../users/user.store.ts'
import type { Users } from '../../users/users.service.ts'
import { accountNameOf } from '../account-name.policy.ts'
import type { ExternalIdentities } from '../identities.service.ts'
import { findBoundUser } from '../source.store.ts'
import type { SourceTeams } from '../source-teams.ts'
import type { SignInSource } from '../sources.service.ts'
import type { OidcProfile } from './oidc-profile.policy.ts'

type Source = Pick<SignInSource<'oidc'>, 'id' | 'kind' | 'name'>

interface Deps extends Pick<Core, 'database' | 'log'> {
  readonly users: Pick<Users, 'create' | 'edit' | 'findById'>
  readonly identities: Pick<ExternalIdentities, 'find' | 'findOf' | 'link'>
  readonly teams: SourceTeams
}

export type OidcAccounts = ReturnType<typeof createOidcAccounts>

/** Accounts of the people that providers know. A link is between an account and the subject, never a name. */
export function createOidcAccounts({ database, log, users, identities, teams }: Deps) {
  async function update(source: Source, user: User, profile: OidcProfile): Promise<User> {
    const { isAdmin, isRestricted } = profile
    const edits: UserEdit[] = [
      isAdmin !== undefined && isAdmin !== user.isAdmin ? { isAdmin } : {},
      isRestricted !== undefined && isRestricted !== user.isRestricted ? { isRestricted } : {},
    ].filter((edit) => Object.keys(edit).length > 0)
    for (const edit of edits)
      await users.edit(systemActor, user, edit).catch((error: unknown) => {
        // The last administrator.
        if (!isDomainError(error, 'forbidden')) throw error
        log.warn({ user: user.id, source: source.name, reason: error.message }, 'cannot change an account')
      })
    if (profile.teams !== undefined) await teams.assign(user, profile.teams)
    return edits.length > 0 ? ((await users.findById(user.id)) ?? user) : user
  }

  /** The account that an administrator bound to the subject, by `source_id` and `login_name`. */
  async function findBound(source: Source, { subject }: OidcProfile): Promise<User | undefined> {
    const bound = await findBoundUser(database.read, source, subject)
    const other = bound && (await identities.findOf(source.id, bound.id))
    if (bound === undefined || other !== undefined) return undefined
    await identities.link(systemActor, { sourceId: source.id, subject, userId: bound.id, loginName: subject })
    return bound
  }

  async function create(source: Source, profile: OidcProfile): Promise<User | undefined> {
    const name = accountNameOf(profile.loginName)
    if (name === undefined) return undefined
    try {
      return await users.create(systemActor, {
        name,
        email: isEmailAddress(profile.email) ? profile.email : `${randomUUID()}@localhost`,
        fullName: profile.fullName,
        isAdmin: profile.isAdmin ?? false,
        isRestricted: profile.isRestricted,
        sourceId: source.id,
        loginName: profile.subject,
      })
    } catch (error) {
      // The name or the address is that of another account.
      if (!isDomainError(error, 'invalid')) throw error
      log.info({ source: source.name, reason: error.message }, 'cannot create an account')
      return undefined
    }
  }

  return {
    /** The account of the person, with the rights and teams that the provider says; undefined if there is none. */
    async find(source: Source, profile: OidcProfile): Promise<User | undefined> {
      const identity = await identities.find(source.id, profile.subject)
      const user = identity === undefined ? await findBound(source, profile) : await users.findById(identity.userId)
      return user && update(source, user, profile)
    },

    /** A new account for the person; undefined when its name or address is taken. */
    async register(source: Source, profile: OidcProfile): Promise<User | undefined> {
      const user = await create(source, profile)
      if (user === undefined) return undefined
      const { subject, loginName } = profile
      await identities.link(systemActor, { sourceId: source.id, subject, userId: user.id, loginName })
      return update(source, user, profile)
    },

    /** Throws conflict when the person has another account, or the account is linked to another person. */
    link: (
      actor: Actor,
      source: Source,
      { user, subject, loginName }: { readonly user: User; readonly subject: string; readonly loginName: string },
    ): Promise<void> => identities.link(actor, { sourceId: source.id, subject, userId: user.id, loginName }),
  }
}
