import type { Actor, Visibility } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { badRequest, engineErrors } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { type CreateUserDeps, lockLoginSource, requireLoginSource } from './create-user.ts'
import { claimEmail, findEmail, setPrimaryEmail } from '../emails/email.store.ts'
import { type PasswordTexts, requireGoodPassword } from '../passwords/require-good-password.ts'
import { isEmailAddress } from '../users.policy.ts'
import { findUserById, lockUsers, updateUser, type User, type UserChanges, lockActiveAdmins } from '../user.store.ts'

/**
 * Throws Forbidden when the user is the last administrator, who cannot be deleted, demoted or prohibited from signing
 * in (behaviour/base-interface#errors). Locks the rows of all administrators until the transaction ends, so that two
 * cannot lose their rights at the same time. `act` is the name of the change in the message.
 */
export async function requireOtherAdmin(tx: Tx, user: User, act: string): Promise<void> {
  const admins = await lockActiveAdmins(tx)
  const isLast = admins.length === 0 ? user.isAdmin : admins.every((id) => id === user.id)
  if (isLast) throw errors.lastAdmin(act, user.id)
}

/** Absent members are unchanged. */
export interface UserEdit {
  readonly loginName?: string | undefined
  readonly sourceId?: number | undefined
  readonly email?: string | undefined
  /** Empty: unchanged. */
  readonly password?: string | undefined
  readonly fullName?: string | undefined
  readonly website?: string | undefined
  readonly location?: string | undefined
  readonly description?: string | undefined
  readonly pronouns?: string | undefined
  readonly isEmailHidden?: boolean | undefined
  readonly visibility?: Visibility | undefined
  readonly maxRepoCreation?: number | undefined
  readonly isActive?: boolean | undefined
  readonly isAdmin?: boolean | undefined
  readonly isRestricted?: boolean | undefined
  readonly isLoginProhibited?: boolean | undefined
  readonly mustChangePassword?: boolean | undefined
  readonly canCreateOrganization?: boolean | undefined
}

/**
 * Throws invalid, bad-request (password, e-mail) and forbidden (the last administrator)
 * (behaviour/users-and-admin#administration-of-users).
 */
export async function editUser(deps: CreateUserDeps, actor: Actor, user: User, edit: UserEdit): Promise<User> {
  if (user.kind !== 'individual') throw errors.notAnIndividual(user.name)
  if (edit.sourceId !== undefined && edit.loginName === undefined) throw engineErrors.fieldRequired('LoginName')
  await requireLoginSource(deps, edit.sourceId ?? 0)
  const password = edit.password || undefined
  if (password !== undefined) await requireGoodPassword(deps, password, textsOf(deps))
  const passwordHash =
    password === undefined ? undefined : await deps.passwords.hash(password, `account ${actor.account.id}`)
  const at = deps.clock.now()
  return deps.database.transaction(async (tx) => {
    const removal = adminRemoval(edit)
    if (removal !== undefined) await requireOtherAdmin(tx, user, removal)
    await lockLoginSource(tx, deps, edit.sourceId ?? 0)
    await lockUsers(tx, [user.id])
    const { sourceId: formerSource } = (await findUserById(tx, user.id)) ?? user
    const leaves = edit.sourceId !== undefined && formerSource > 0 && formerSource !== edit.sourceId
    if (edit.email !== undefined) await changePrimaryEmail(tx, user, edit.email)
    const changes = columns(edit)
    await updateUser(tx, user.id, {
      ...changes,
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      updated_at: at,
    })
    if (passwordHash !== undefined)
      await deps.events.append(tx, 'user.credentials_changed', { actor, repoId: 0, at }, { user_id: user.id })
    await deps.events.append(
      tx,
      'user.edited',
      { actor, repoId: 0, at },
      {
        user_id: user.id,
        changed: [...Object.keys(changes), ...(passwordHash === undefined ? [] : ['password'])],
        ...(leaves && { left_source_id: formerSource }),
      },
    )
    return (await findUserById(tx, user.id))!
  })
}

/** The way in which the edit removes the rights of an administrator; undefined if it does not. */
function adminRemoval({ isAdmin, isActive, isLoginProhibited }: UserEdit): string | undefined {
  if (isAdmin === false) return 'demote'
  if (isActive === false) return 'deactivate'
  return isLoginProhibited === true ? 'prohibit the sign-in of' : undefined
}

const textsOf = ({ passwordRules }: CreateUserDeps): PasswordTexts => ({
  short: `password must be at least ${passwordRules.minLength} characters`,
  simple: 'password not complex enough',
  leaked: 'password is on a list of stolen passwords',
})

/** The former primary address becomes a secondary one. Throws for an address of another user. */
async function changePrimaryEmail(tx: Tx, user: User, email: string): Promise<void> {
  if (!isEmailAddress(email)) throw badRequest(`e-mail invalid [email: ${email}]`)
  const existing = await findEmail(tx, email)
  if (existing !== undefined && existing.userId !== user.id) throw errors.emailTaken(email)
  if (existing === undefined && !(await claimEmail(tx, user.id, email))) throw errors.emailTaken(email)
  await setPrimaryEmail(tx, user.id, email)
}

function columns(edit: UserEdit): UserChanges {
  const asFlag = (value: boolean | undefined): 0 | 1 | undefined => (value === undefined ? undefined : flag(value))
  const all = {
    login_name: edit.loginName,
    source_id: edit.sourceId,
    email: edit.email,
    full_name: edit.fullName,
    website: edit.website,
    location: edit.location,
    description: edit.description,
    pronouns: edit.pronouns,
    is_email_hidden: asFlag(edit.isEmailHidden),
    visibility: edit.visibility,
    max_repo_creation: edit.maxRepoCreation,
    is_active: asFlag(edit.isActive),
    is_admin: asFlag(edit.isAdmin),
    is_restricted: asFlag(edit.isRestricted),
    is_login_prohibited: asFlag(edit.isLoginProhibited),
    must_change_password: asFlag(edit.mustChangePassword),
    can_create_organization: asFlag(edit.canCreateOrganization),
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as UserChanges
}
