import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { Account } from '../../../core/access/viewer.ts'
import { type Db, dialectOf, type Tx } from '../../../core/db/database.ts'
import { defineQuery } from '../../../core/db/prepared-statement.ts'
import { cachedByIds, cachedUntilCommit } from '../../../core/db/read-cache.ts'
import { errors } from '../../errors.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { UserTable } from './user.table.ts'

export type UserRow = Selectable<UserTable>

/** An individual, an organization or a bot. Times are epoch milliseconds. */
export interface User extends Account {
  readonly fullName: string
  readonly email: string
  readonly loginName: string
  readonly sourceId: number
  readonly description: string
  readonly location: string
  readonly website: string
  readonly pronouns: string
  readonly language: string
  /** The hash of the uploaded image; undefined: the generated image. */
  readonly avatar: string | undefined
  readonly isEmailHidden: boolean
  /** Whether pronouns are hidden from anonymous viewers. */
  readonly arePronounsHidden: boolean
  readonly canCreateOrganization: boolean
  readonly maxRepoCreation: number
  readonly repoAdminChangeTeamAccess: boolean
  readonly followersCount: number
  readonly followingCount: number
  readonly starsCount: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Undefined if the user never signed in. */
  readonly lastLoginAt: number | undefined
}

/** The columns that `toUser` reads. */
const COLUMNS = [
  'id',
  'kind',
  'name',
  'visibility',
  'is_admin',
  'is_restricted',
  'is_active',
  'is_login_prohibited',
  'must_change_password',
  'full_name',
  'email',
  'login_name',
  'source_id',
  'description',
  'location',
  'website',
  'pronouns',
  'language',
  'avatar',
  'is_email_hidden',
  'are_pronouns_hidden',
  'can_create_organization',
  'max_repo_creation',
  'repo_admin_change_team_access',
  'followers_count',
  'following_count',
  'stars_count',
  'created_at',
  'updated_at',
  'last_login_at',
] as const satisfies readonly (keyof UserRow)[]

type Column = (typeof COLUMNS)[number]
type Columns = Pick<UserRow, Column>

/** The columns of the user `owner`, renamed to avoid conflicts with columns of an entity that it owns. */
export const OWNER_COLUMNS = COLUMNS.map((column) => `owner.${column} as user_${column}`) as {
  [Each in Column]: `owner.${Each} as user_${Each}`
}[Column][]

type OwnerColumns = { readonly [Each in Column as `user_${Each}`]: Columns[Each] }

/**
 * Reads the owner from a row with `OWNER_COLUMNS`. NOTE: written out because a loop over `COLUMNS` takes 80 times as
 * long.
 */
export const toOwner = (row: OwnerColumns): User =>
  toUser({
    id: row.user_id,
    kind: row.user_kind,
    name: row.user_name,
    visibility: row.user_visibility,
    is_admin: row.user_is_admin,
    is_restricted: row.user_is_restricted,
    is_active: row.user_is_active,
    is_login_prohibited: row.user_is_login_prohibited,
    must_change_password: row.user_must_change_password,
    full_name: row.user_full_name,
    email: row.user_email,
    login_name: row.user_login_name,
    source_id: row.user_source_id,
    description: row.user_description,
    location: row.user_location,
    website: row.user_website,
    pronouns: row.user_pronouns,
    language: row.user_language,
    avatar: row.user_avatar,
    is_email_hidden: row.user_is_email_hidden,
    are_pronouns_hidden: row.user_are_pronouns_hidden,
    can_create_organization: row.user_can_create_organization,
    max_repo_creation: row.user_max_repo_creation,
    repo_admin_change_team_access: row.user_repo_admin_change_team_access,
    followers_count: row.user_followers_count,
    following_count: row.user_following_count,
    stars_count: row.user_stars_count,
    created_at: row.user_created_at,
    updated_at: row.user_updated_at,
    last_login_at: row.user_last_login_at,
  })

/** The complete account; undefined if only the members for access decisions are loaded. */
export const knownUser = (account: Account): User | undefined =>
  'createdAt' in account ? (account as User) : undefined

export function toUser(row: Columns): User {
  return {
    id: asId(row.id),
    kind: row.kind,
    name: row.name,
    visibility: row.visibility,
    isAdmin: row.is_admin === 1,
    isRestricted: row.is_restricted === 1,
    isActive: row.is_active === 1,
    isLoginProhibited: row.is_login_prohibited === 1,
    mustChangePassword: row.must_change_password === 1,
    fullName: row.full_name,
    email: row.email,
    loginName: row.login_name,
    sourceId: row.source_id,
    description: row.description,
    location: row.location,
    website: row.website,
    pronouns: row.pronouns,
    language: row.language,
    avatar: row.avatar || undefined,
    isEmailHidden: row.is_email_hidden === 1,
    arePronounsHidden: row.are_pronouns_hidden === 1,
    canCreateOrganization: row.can_create_organization === 1,
    maxRepoCreation: row.max_repo_creation,
    repoAdminChangeTeamAccess: row.repo_admin_change_team_access === 1,
    followersCount: row.followers_count,
    followingCount: row.following_count,
    starsCount: row.stars_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastLoginAt: row.last_login_at || undefined,
  }
}

/** The account that workflow jobs act as, which has no row (behaviour/actions#job-token). */
export const JOBS_USER: User = toUser({
  id: -2,
  kind: 'bot',
  name: 'gitea-actions',
  visibility: 'public',
  is_admin: 0,
  is_restricted: 0,
  is_active: 1,
  is_login_prohibited: 0,
  must_change_password: 0,
  full_name: '',
  email: '',
  login_name: '',
  source_id: 0,
  description: '',
  location: '',
  website: '',
  pronouns: '',
  language: '',
  avatar: '',
  is_email_hidden: 1,
  are_pronouns_hidden: 0,
  can_create_organization: 0,
  max_repo_creation: 0,
  repo_admin_change_team_access: 0,
  followers_count: 0,
  following_count: 0,
  stars_count: 0,
  created_at: 0,
  updated_at: 0,
  last_login_at: 0,
})

export async function findUserById(db: Db, id: UserId): Promise<User | undefined> {
  if (id === JOBS_USER.id) return JOBS_USER
  return (await usersById(db, [id])).get(id)
}

const usersById = (db: Db, ids: Iterable<UserId>): Promise<ReadonlyMap<UserId, User>> =>
  cachedByIds(db, 'user', ids, async (missing) => (await byIds(db, { ids: missing })).map(toUser))

export function findUserByName(db: Db, name: string): Promise<User | undefined> {
  const lowerName = name.toLowerCase()
  return cachedUntilCommit(db, `user.name ${lowerName}`, async () => {
    const [row] = await byName(db, { lowerName })
    return row && toUser(row)
  })
}

const byName = defineQuery((db, { lowerName }: { lowerName: string }) =>
  db.selectFrom('user').selectAll().where('lower_name', '=', lowerName),
)

/** Names of one statement: below the limits of both databases on bound values. */
const NAMES_CHUNK = 1000

/** Ids of users, not of organizations, by their names in lower case. */
export async function listUserIdsByName(db: Db, names: readonly string[]): Promise<Map<string, UserId>> {
  const lowerNames = [...new Set(names.map((name) => name.toLowerCase()))]
  const found = new Map<string, UserId>()
  for (let start = 0; start < lowerNames.length; start += NAMES_CHUNK) {
    const rows = await db
      .selectFrom('user')
      .select(['id', 'lower_name'])
      .where('kind', '=', 'individual')
      .where('lower_name', 'in', lowerNames.slice(start, start + NAMES_CHUNK))
      .execute()
    for (const { id, lower_name: name } of rows) found.set(name, asId(id))
  }
  return found
}

/** In no particular order; ids without a row are omitted. Users in `known` are not read again. */
export async function listUsersByIds(
  db: Db,
  ids: readonly UserId[],
  known: readonly (User | undefined)[] = [],
): Promise<User[]> {
  const unread = new Set(ids)
  const given = [...known, JOBS_USER].filter((user) => user !== undefined && unread.delete(user.id)) as User[]
  if (unread.size === 0) return given
  return [...given, ...(await usersById(db, unread)).values()]
}

const byIds = defineQuery((db, { ids }: { ids: readonly UserId[] }) =>
  db.selectFrom('user').selectAll().where('id', 'in', ids),
)

/** The individual with this login name or activated e-mail address, with its password hash. */
export async function findLogin(db: Db, login: string): Promise<{ user: User; passwordHash: string } | undefined> {
  const key = login.trim().toLowerCase()
  return cachedUntilCommit(db, `user.login ${key}`, async () => {
    const byName = await db
      .selectFrom('user')
      .selectAll()
      .where('lower_name', '=', key)
      .where('kind', '=', 'individual')
      .executeTakeFirst()
    const row = byName ?? (key.includes('@') ? await findRowByEmail(db, key) : undefined)
    return row && { user: toUser(row), passwordHash: row.password_hash }
  })
}

function findRowByEmail(db: Db, lowerEmail: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('email_address')
    .innerJoin('user', 'user.id', 'email_address.user_id')
    .selectAll('user')
    .where('lower_email', '=', lowerEmail)
    .where('is_activated', '=', 1)
    .executeTakeFirst()
}

/** The individual with this activated e-mail address. */
export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  const row = email.includes('@') ? await findRowByEmail(db, email.trim().toLowerCase()) : undefined
  return row && toUser(row)
}

export async function findRenamedUserId(db: Db, oldName: string): Promise<UserId | undefined> {
  const row = await db
    .selectFrom('user_redirect')
    .select('user_id')
    .where('lower_name', '=', oldName.toLowerCase())
    .executeTakeFirst()
  return row && asId(row.user_id)
}

/** Redirects the old name of a user or organization to it, and deletes the redirect of its new name. */
export async function recordOwnerRename(
  tx: Tx,
  id: UserId,
  names: { readonly from: string; readonly to: string },
): Promise<void> {
  const from = names.from.toLowerCase()
  const to = names.to.toLowerCase()
  await tx.deleteFrom('user_redirect').where('lower_name', 'in', [from, to]).execute()
  if (from !== to) await tx.insertInto('user_redirect').values({ lower_name: from, user_id: id }).execute()
}

export async function insertUser(tx: Tx, values: Insertable<UserTable>): Promise<UserId> {
  const { id } = await tx
    .insertInto('user')
    .values({ ...values, search_text: searchText(values) })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx.deleteFrom('user_redirect').where('lower_name', '=', values.lower_name).execute()
  return asId(id)
}

export type UserChanges = Updateable<UserTable>

/** Throws NotFound when a concurrent request deleted the account. */
export async function updateUser(tx: Tx, id: UserId, values: UserChanges): Promise<void> {
  const { numUpdatedRows } = await tx.updateTable('user').set(values).where('id', '=', id).executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw errors.accountDeleted()
  if (!('name' in values || 'full_name' in values || 'email' in values || 'is_email_hidden' in values)) return
  const row = await tx
    .selectFrom('user')
    .select(['name', 'full_name', 'email', 'is_email_hidden'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('user')
    .set({ search_text: searchText(row) })
    .where('id', '=', id)
    .execute()
}

/** `avatar`: the hash of the image; empty for none. */
export const setUserAvatar = (tx: Tx, id: UserId, avatar: string, at: number): Promise<void> =>
  updateUser(tx, id, { avatar, updated_at: at })

export const recordLogin = (tx: Tx, id: UserId, at: number): Promise<void> => updateUser(tx, id, { last_login_at: at })

/** Adds `change` to a counter in SQL, so that concurrent changes are not lost. */
export async function addToUserCounter(
  tx: Tx,
  ids: UserId | readonly UserId[],
  counter: 'followers_count' | 'following_count' | 'stars_count',
  change: number,
): Promise<void> {
  await tx
    .updateTable('user')
    .set({ [counter]: sql`${sql.ref(counter)} + ${change}` })
    .where('id', 'in', [ids].flat())
    .execute()
}

function searchText(row: {
  readonly name: string
  readonly full_name?: string | undefined
  readonly email?: string | undefined
  readonly is_email_hidden?: number | undefined
}): string {
  return [row.name, row.full_name ?? '', row.is_email_hidden === 1 ? '' : (row.email ?? '')].join('\n').toLowerCase()
}

export async function countUsers(db: Db, kind: User['kind'] = 'individual'): Promise<number> {
  const { count } = await db
    .selectFrom('user')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return count
}

/** Locks the rows of accounts until the transaction ends, in the order of their ids. */
export async function lockUsers(tx: Tx, ids: readonly UserId[]): Promise<void> {
  if (ids.length === 0 || dialectOf(tx).hasOneWriter) return
  await lock(tx, { ids })
}

const lock = defineQuery((db, { ids }: { ids: readonly UserId[] }) =>
  dialectOf(db as Tx).lockRows(db.selectFrom('user').select('id').where('id', 'in', ids).orderBy('id')),
)

/**
 * Locks the row of an account that the transaction deletes, so that no other transaction can insert a reference to it.
 * Returns false when the account is already deleted.
 */
export async function lockUserToDelete(tx: Tx, id: UserId): Promise<boolean> {
  const rows = await dialectOf(tx)
    .lockToDelete(tx.selectFrom('user').select('id').where('id', '=', id))
    .execute()
  return rows.length > 0
}

/** Locks the rows of the administrators who can sign in until the transaction ends, and returns their ids. */
export async function lockActiveAdmins(tx: Tx): Promise<UserId[]> {
  const admins = tx
    .selectFrom('user')
    .select('id')
    .where('is_admin', '=', 1)
    .where('is_active', '=', 1)
    .where('is_login_prohibited', '=', 0)
    .orderBy('id')
  const rows = await dialectOf(tx).lockRows(admins).execute()
  return rows.map((row) => asId(row.id))
}
