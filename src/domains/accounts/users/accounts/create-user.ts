import type { Core } from '../../../../core/module.ts'
import type { Actor, Visibility } from '../../../../core/access/viewer.ts'
import { retryOnUniqueViolation, type Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { invalid, invalidField } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { findSource, lockSource } from '../../sign-in-sources/source.store.ts'
import { insertEmail, isEmailTaken } from '../emails/email.store.ts'
import { type PasswordDeps, requireGoodPassword } from '../passwords/require-good-password.ts'
import { isEmailAddress, ownerNameProblem } from '../users.policy.ts'
import { findUserById, findUserByName, insertUser, type User, recordOwnerRename, updateUser } from '../user.store.ts'
import type { EventOrigin } from '../../../../core/events/index.ts'

export interface NewUser {
  readonly name: string
  readonly email: string
  /** Absent for accounts of an external sign-in source. */
  readonly password?: string | undefined
  readonly fullName?: string | undefined
  readonly isAdmin?: boolean
  readonly isRestricted?: boolean | undefined
  readonly mustChangePassword?: boolean | undefined
  readonly visibility?: Visibility | undefined
  readonly loginName?: string | undefined
  readonly sourceId?: number | undefined
  /** Back-dates the account; epoch milliseconds. */
  readonly createdAt?: number | undefined
}

export interface CreateUserDeps extends Pick<Core, 'database' | 'clock' | 'events' | 'passwords'>, PasswordDeps {
  readonly defaultVisibility: Visibility
  /** Ids of sign-in sources of the configuration, such as the reverse proxy. */
  readonly loginSources: readonly number[]
}

/** Throws Invalid (name, e-mail, duplicate) and BadRequest (password), with the messages of the API. */
export async function createUser(deps: CreateUserDeps, actor: Actor, input: NewUser): Promise<User> {
  requireOwnerName(input.name, 'Username')
  if (!isEmailAddress(input.email)) throw invalidField('Email', input.email === '' ? 'Required' : 'Email')
  await requireLoginSource(deps, input.sourceId ?? 0)
  const isLocal = (input.sourceId ?? 0) === 0
  if (isLocal)
    await requireGoodPassword(deps, input.password ?? '', {
      short: 'PasswordIsRequired',
      simple: 'PasswordComplexity',
      leaked: 'PasswordPwned',
    })
  const passwordHash = input.password ? await deps.passwords.hash(input.password, `account ${actor.account.id}`) : ''
  return retryOnUniqueViolation(deps.database, async (tx) => {
    await lockLoginSource(tx, deps, input.sourceId ?? 0)
    await requireFreeName(tx, input.name)
    if (await isEmailTaken(tx, input.email)) throw errors.newUserEmailTaken(input.email)
    const id = await insertRow(tx, deps, input, passwordHash)
    await insertEmail(tx, id, input.email, { isPrimary: true, isActivated: true })
    await deps.events.append(
      tx,
      'user.created',
      { actor, repoId: 0, at: deps.clock.now() },
      { user_id: id, name: input.name },
    )
    return (await findUserById(tx, id))!
  })
}

function insertRow(tx: Tx, deps: CreateUserDeps, input: NewUser, passwordHash: string): Promise<UserId> {
  const now = input.createdAt ?? deps.clock.now()
  return insertUser(tx, {
    kind: 'individual',
    name: input.name,
    lower_name: input.name.toLowerCase(),
    full_name: input.fullName ?? '',
    email: input.email,
    password_hash: passwordHash,
    login_name: input.loginName ?? '',
    source_id: input.sourceId ?? 0,
    visibility: input.visibility ?? deps.defaultVisibility,
    is_active: 1,
    is_admin: flag(input.isAdmin ?? false),
    is_restricted: flag(input.isRestricted ?? false),
    must_change_password: flag(input.mustChangePassword ?? false),
    created_at: now,
    updated_at: now,
  })
}

/** Throws Invalid for an unknown source; 0 is this server. */
export async function requireLoginSource(
  deps: Pick<CreateUserDeps, 'database' | 'loginSources'>,
  id: number,
): Promise<void> {
  if (isConfigured(deps, id) || (await findSource(deps.database.read, asId(id))) !== undefined) return
  throw errors.loginSourceUnknown(id)
}

/** Prevents the deletion of the source until the transaction ends. Throws Invalid for an unknown source. */
export async function lockLoginSource(tx: Tx, deps: Pick<CreateUserDeps, 'loginSources'>, id: number): Promise<void> {
  if (!isConfigured(deps, id) && !(await lockSource(tx, asId(id)))) throw errors.loginSourceUnknown(id)
}

const isConfigured = ({ loginSources }: Pick<CreateUserDeps, 'loginSources'>, id: number): boolean =>
  id === 0 || loginSources.includes(id)

/** Throws Invalid for a bad name of a user or organization; `field` is the name of the member in the API. */
export function requireOwnerName(name: string, field: string): void {
  const problem = ownerNameProblem(name)
  if (problem === undefined) return
  throw 'rule' in problem ? invalidField(field, problem.rule) : invalid(problem.message)
}

/** Throws Invalid when an account already has the name. */
export async function requireFreeName(tx: Tx, name: string): Promise<void> {
  if (await findUserByName(tx, name)) throw errors.userExists(name)
}

type RenameDeps = Pick<CreateUserDeps, 'database' | 'clock' | 'events'>

/**
 * Renames a user or organization; the old name redirects to it until another account uses that name. Throws Invalid for
 * a bad or duplicate name.
 */
export async function renameOwner(deps: RenameDeps, actor: Actor, owner: User, newName: string): Promise<User> {
  requireOwnerName(newName, owner.kind === 'organization' ? 'NewName' : 'NewUsername')
  if (newName === owner.name) return owner
  const origin = { actor, repoId: 0, at: deps.clock.now() }
  return retryOnUniqueViolation(deps.database, async (tx) => {
    const existing = await findUserByName(tx, newName)
    if (existing !== undefined && existing.id !== owner.id) throw errors.userExists(newName)
    await updateUser(tx, owner.id, { name: newName, lower_name: newName.toLowerCase(), updated_at: origin.at })
    await recordOwnerRename(tx, owner.id, { from: owner.name, to: newName })
    await announce(deps, tx, origin, { owner, newName })
    return (await findUserById(tx, owner.id))!
  })
}

function announce(
  { events }: RenameDeps,
  tx: Tx,
  origin: EventOrigin,
  { owner: { id, kind, name: oldName }, newName }: { readonly owner: User; readonly newName: string },
): Promise<void> {
  if (kind === 'organization')
    return events.append(tx, 'org.renamed', origin, { org_id: id, name: newName, old_name: oldName })
  return events.append(tx, 'user.renamed', origin, { user_id: id, name: newName, old_name: oldName })
}
