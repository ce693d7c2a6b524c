import { randomUUID } from 'node:crypto'
import { systemActor } from '../../../core/access/viewer.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Core } from '../../../core/module.ts'
import { errors } from '../../errors.ts'
import type { SshKeys } from '../keys/ssh-keys.service.ts'
import type { UserEdit } from '../users/accounts/edit-user.ts'
import { isEmailAddress } from '../users/users.policy.ts'
import type { User } from '../users/user.store.ts'
import type { Users } from '../users/users.service.ts'
import { accountNameOf } from './account-name.policy.ts'
import type { ExternalProfile } from './external-profile.ts'
import { type ExternalIdentity, type NewIdentity, updateIdentity } from './identity.store.ts'
import type { ExternalIdentities } from './identities.service.ts'
import { findBoundUser } from './source.store.ts'
import type { SourceTeams } from './source-teams.ts'
import type { SignInSource } from './sources.service.ts'

interface Deps extends Pick<Core, 'database' | 'clock' | 'log'> {
  readonly users: Pick<Users, 'create' | 'edit' | 'findById'>
  readonly identities: Pick<ExternalIdentities, 'find' | 'findOf' | 'link' | 'unlink'>
  readonly sshKeys: Pick<SshKeys, 'replaceOfSource'>
  readonly teams: SourceTeams
}

/** A source with its rules for accounts. */
export interface AccountRules {
  readonly source: Pick<SignInSource, 'id' | 'kind' | 'name'>
  readonly createsAccounts: boolean
}

export interface Found {
  readonly user: User
  /** Undefined when the account has just got its identity. */
  readonly identity: ExternalIdentity | undefined
}

interface Outcome {
  readonly user: User
  readonly change: 'created' | 'updated' | 'unchanged'
}

export type ExternalAccounts = ReturnType<typeof createExternalAccounts>

/** Accounts of the people that a source knows. */
export function createExternalAccounts(deps: Deps) {
  const { users, identities } = deps

  /** The account of the person, and its identity if it had one. Throws forbidden when it is another person's. */
  async function findAccount(
    { source }: AccountRules,
    { subject, loginName }: ExternalProfile,
  ): Promise<Found | undefined> {
    const identity = await identities.find(source.id, subject)
    const linked = identity && (await users.findById(identity.userId))
    if (linked?.sourceId === source.id) return { user: linked, identity }
    // An administrator has detached the account from the source.
    if (identity !== undefined) await identities.unlink(systemActor, source.id, identity.userId)
    const bound = await findBoundUser(deps.database.read, source, loginName)
    if (bound === undefined) return undefined
    const other = await identities.findOf(source.id, bound.id)
    // NOTE: another process may have linked the same person since the identity was looked up.
    if (other?.subject === subject) return { user: bound, identity: other }
    if (other !== undefined) throw errors.externalAccountOfOther(bound.name)
    await link({ sourceId: source.id, subject, userId: bound.id, loginName })
    return { user: bound, identity: undefined }
  }

  async function create({ source }: AccountRules, profile: ExternalProfile): Promise<User> {
    const { subject, loginName, email, fullName, isAdmin = false, isRestricted = false } = profile
    const name = accountNameOf(loginName)
    if (name === undefined) throw errors.externalAccountUnnamed(loginName)
    const user = await users
      .create(systemActor, {
        name,
        email: isEmailAddress(email) ? email : `${randomUUID()}@localhost`,
        fullName,
        isAdmin,
        isRestricted,
        sourceId: source.id,
        loginName,
      })
      .catch((error: unknown) => {
        throw isDomainError(error, 'invalid') ? errors.externalAccountNotCreated(loginName, error.message) : error
      })
    await link({ sourceId: source.id, subject, userId: user.id, loginName })
    return user
  }

  /** Does nothing when another process has linked the same. */
  async function link(identity: NewIdentity): Promise<void> {
    try {
      await identities.link(systemActor, identity)
    } catch (error) {
      if (!isDomainError(error, 'conflict')) throw error
      if ((await identities.find(identity.sourceId, identity.subject))?.userId !== identity.userId) throw error
    }
  }

  /** The new account, or the one that another process has created first. */
  async function createOrFind(rules: AccountRules, profile: ExternalProfile): Promise<User> {
    try {
      return await create(rules, profile)
    } catch (error) {
      const found = isDomainError(error, 'forbidden') ? await findAccount(rules, profile) : undefined
      if (found === undefined) throw error
      return found.user
    }
  }

  /** Returns whether anything changed. */
  async function edit(rules: AccountRules, profile: ExternalProfile, { user, identity }: Found): Promise<boolean> {
    let isChanged = false
    for (const change of editsOf(user, profile, identity))
      if (await tryEdit(deps, rules, { user, edit: change })) isChanged = true
    if (identity !== undefined) await updateNews(deps, identity, profile)
    return isChanged
  }

  /** Keys and teams. Returns whether anything changed. */
  async function assign(
    { source }: AccountRules,
    user: User,
    { sshKeys: lines, teams }: ExternalProfile,
  ): Promise<boolean> {
    const hasNewKeys =
      lines !== undefined && (await deps.sshKeys.replaceOfSource(systemActor, user.id, { sourceId: source.id, lines }))
    const hasNewTeams = teams !== undefined && (await deps.teams.assign(user, teams))
    return hasNewKeys || hasNewTeams
  }

  return {
    /**
     * The account of a person whom the source knows, updated with the present profile. Throws forbidden when the person
     * has none and cannot get one. `known`: the account, if the caller has found it by its identity.
     */
    async refresh(rules: AccountRules, profile: ExternalProfile, known?: Found): Promise<Outcome> {
      const found = known ?? (await findAccount(rules, profile))
      if (found === undefined) {
        if (!rules.createsAccounts) throw errors.externalAccountMissing(profile.loginName)
        const user = await createOrFind(rules, profile)
        await assign(rules, user, profile)
        return { user, change: 'created' }
      }
      const isEdited = await edit(rules, profile, found)
      const isChanged = (await assign(rules, found.user, profile)) || isEdited
      const user = isEdited ? await users.findById(found.user.id) : undefined
      return { user: user ?? found.user, change: isChanged ? 'updated' : 'unchanged' }
    },
  }
}

/**
 * What differs. Each edit is one that can be refused by itself: an address that another account has, the rights of the
 * last administrator.
 */
function editsOf(user: User, profile: ExternalProfile, identity: ExternalIdentity | undefined): UserEdit[] {
  const { loginName, email, fullName, isAdmin, isRestricted } = profile
  const all: UserEdit[] = [
    {
      ...(loginName !== user.loginName && { loginName }),
      ...(fullName !== '' && fullName !== user.fullName && { fullName }),
      ...(isRestricted !== undefined && isRestricted !== user.isRestricted && { isRestricted }),
      ...(identity?.goneAt !== undefined && !user.isActive && { isActive: true }),
    },
    isEmailAddress(email) && email.toLowerCase() !== user.email.toLowerCase() ? { email } : {},
    isAdmin !== undefined && isAdmin !== user.isAdmin ? { isAdmin } : {},
  ]
  return all.filter((edit) => Object.keys(edit).length > 0)
}

async function tryEdit(
  { users, log }: Pick<Deps, 'users' | 'log'>,
  { source }: AccountRules,
  { user, edit }: { readonly user: User; readonly edit: UserEdit },
): Promise<boolean> {
  try {
    await users.edit(systemActor, user, edit)
    return true
  } catch (error) {
    if (!isDomainError(error, 'bad-request') && !isDomainError(error, 'forbidden')) throw error
    log.warn(
      { user: user.id, source: source.name, reason: error.message },
      'cannot change an account as its source says',
    )
    return false
  }
}

async function updateNews(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  identity: ExternalIdentity,
  { loginName }: ExternalProfile,
): Promise<void> {
  const isNews = identity.loginName !== loginName || identity.goneAt !== undefined
  if (!isNews) return
  await database.transaction((tx) =>
    updateIdentity(tx, identity, { login_name: loginName, gone_at: 0, seen_at: clock.now() }),
  )
}
