import { sql, type ExpressionBuilder, type SelectQueryBuilder } from 'kysely'
import type { Visibility } from '../../access/viewer.ts'
import type { Db } from '../../db/database.ts'
import { flag } from '../../db/flag.ts'
import type { Schema } from '../../db/schema.ts'
import { containing } from '../../db/text-match.ts'
import { countOnce } from '../../db/totals.ts'
import { asId, type UserId } from '../../platform/ids.ts'
import { type Page, type Paging, totalOf } from '../../platform/paging.ts'
import { toUser, type User } from './user.store.ts'

/** Rows a viewer may see; undefined members do not narrow. */
export interface UserSight {
  readonly visibilities?: readonly Visibility[]
  /** Seen whatever its visibility, with all its addresses. */
  readonly self?: UserId | undefined
  /** Users who follow the viewer, and those of its teams, are seen whatever their visibility. */
  readonly acquaintances?: boolean
  /** Hidden addresses match the keyword too. */
  readonly hiddenEmails?: boolean
}

export interface UserFilter {
  readonly keyword?: string
  readonly id?: UserId | undefined
  readonly visibility?: Visibility | undefined
  readonly loginName?: string | undefined
  readonly sourceId?: number | undefined
  readonly isActive?: boolean | undefined
  readonly isAdmin?: boolean | undefined
  readonly isRestricted?: boolean | undefined
  readonly isLoginProhibited?: boolean | undefined
  readonly hasTwoFactor?: boolean | undefined
}

export const USER_SORTS = { name: 'lower_name', created: 'created_at', updated: 'updated_at', id: 'id' } as const
export type UserSort = keyof typeof USER_SORTS

export interface UserOrder {
  readonly by: UserSort
  readonly direction: 'asc' | 'desc'
}

type UserQuery = SelectQueryBuilder<Schema, 'user', object>

/**
 * Individuals in the given order, at most four queries whatever the page: ids from the search index, their rows, the
 * total.
 */
export async function listUsers(
  db: Db,
  filter: UserFilter,
  view: UserSight & { readonly order?: UserOrder },
  paging: Paging,
): Promise<Page<User>> {
  const { by, direction } = view.order ?? { by: 'name', direction: 'asc' }
  const query = narrowed(db.selectFrom('user').where('kind', '=', 'individual'), filter, view)
  const page = await query
    .select('id')
    .orderBy(USER_SORTS[by], direction)
    .orderBy('id', direction)
    .limit(paging.limit)
    .offset(paging.offset)
    .execute()
  return {
    items: await usersInOrder(
      db,
      page.map((row) => asId<UserId>(row.id)),
    ),
    total: totalOf(paging, page.length) ?? (await countSeen(db, filter, view)),
  }
}

/** NOTE: the viewer is counted apart: with `or` the database would look at each row where an index knows the number. */
async function countSeen(db: Db, filter: UserFilter, { visibilities, ...sight }: UserSight): Promise<number> {
  if (!isNarrowing(filter)) return countAll(db, visibilities ?? VISIBILITIES, sight.self)
  const all = narrowed(db.selectFrom('user').where('kind', '=', 'individual'), filter, sight)
  const count = (query: UserQuery): Promise<number> =>
    countOnce(
      db,
      query.select((eb) => eb.fn.countAll<number>().as('total')),
    )
  if (visibilities === undefined) return count(all)
  const { self } = sight
  const others = visibilities.length === 0 ? 0 : await count(all.where('visibility', 'in', visibilities))
  if (self === undefined) return others
  return (
    others +
    (await count(
      all
        .where('user.id', '=', self)
        .$if(visibilities.length > 0, (q) => q.where('visibility', 'not in', visibilities)),
    ))
  )
}

const VISIBILITIES: readonly Visibility[] = ['public', 'limited', 'private']

const isNarrowing = ({ keyword = '', ...rest }: UserFilter): boolean =>
  keyword !== '' || Object.values(rest).some((value) => value !== undefined)

/**
 * Counts all visible individuals by indexes alone: all accounts less those of other kinds and less the hidden ones.
 * Counting a whole table takes SQLite no time.
 */
async function countAll(db: Db, visibilities: readonly Visibility[], self: UserId | undefined): Promise<number> {
  const hidden = VISIBILITIES.filter((visibility) => !visibilities.includes(visibility))
  const isHidden = hidden.length === 0 ? sql`1 = 0` : sql`visibility in (${sql.join(hidden)})`
  const hiding = sql`select count(*) from "user" where kind = 'individual' and ${isHidden}`
  const { rows } = await sql<{
    total: number
  }>`select (select count(*) from "user") - (select count(*) from "user" where kind in ('organization', 'bot'))
    - (${hiding}) + ${self === undefined ? sql`0` : sql`(${hiding} and id = ${self})`} as total`.execute(db)
  return rows[0]!.total
}

/** The users of these ids, in this order. */
export async function usersInOrder(db: Db, ids: readonly UserId[]): Promise<User[]> {
  if (ids.length === 0) return []
  const rows = await db.selectFrom('user').selectAll().where('id', 'in', ids).execute()
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row === undefined ? [] : [toUser(row)]
  })
}

function narrowed(query: UserQuery, filter: UserFilter, sight: UserSight): UserQuery {
  const {
    keyword = '',
    id,
    visibility,
    loginName,
    sourceId,
    isActive,
    isAdmin,
    isRestricted,
    isLoginProhibited,
    hasTwoFactor,
  } = filter
  return query
    .$if(sight.visibilities !== undefined, (q) => q.where((eb) => inSight(eb, sight)))
    .$if(keyword !== '', (q) => q.where((eb) => matches(eb, keyword, sight)))
    .$if(id !== undefined, (q) => q.where('user.id', '=', id!))
    .$if(visibility !== undefined, (q) => q.where('visibility', '=', visibility!))
    .$if(loginName !== undefined, (q) => q.where('login_name', '=', loginName!))
    .$if(sourceId !== undefined, (q) => q.where('source_id', '=', sourceId!))
    .$if(isActive !== undefined, (q) => q.where('is_active', '=', flag(isActive!)))
    .$if(isAdmin !== undefined, (q) => q.where('is_admin', '=', flag(isAdmin!)))
    .$if(isRestricted !== undefined, (q) => q.where('is_restricted', '=', flag(isRestricted!)))
    .$if(isLoginProhibited !== undefined, (q) => q.where('is_login_prohibited', '=', flag(isLoginProhibited!)))
    .$if(hasTwoFactor !== undefined, (q) =>
      q.where((eb) => (hasTwoFactor ? confirmedTwoFactor(eb) : eb.not(confirmedTwoFactor(eb)))),
    )
}

type Builder = ExpressionBuilder<Schema, 'user'>

function confirmedTwoFactor(eb: Builder) {
  return eb.exists(
    eb
      .selectFrom('two_factor')
      .select('two_factor.user_id')
      .whereRef('two_factor.user_id', '=', 'user.id')
      .where('two_factor.is_confirmed', '=', 1),
  )
}

/** NOTE: with an empty list of visibilities only the viewer itself is visible. */
export function inSight(eb: Builder, { visibilities = [], self }: UserSight): ReturnType<Builder['or']> {
  return eb.or([
    ...(visibilities.length === 0 ? [] : [eb('user.visibility', 'in', visibilities)]),
    ...(self === undefined ? [] : [eb('user.id', '=', self)]),
  ])
}

function matches(eb: Builder, keyword: string, { hiddenEmails = false, self }: UserSight): ReturnType<Builder['or']> {
  const email = containing(eb.fn<string>('lower', ['user.email']), keyword)
  return eb.or([
    containing(eb.ref('user.search_text'), keyword),
    ...(hiddenEmails ? [email] : []),
    ...(self === undefined || hiddenEmails ? [] : [eb.and([eb('user.id', '=', self), email])]),
  ])
}

/** Those of the lower-cased names that accounts of these visibilities have. */
export async function listMentionable(
  db: Db,
  names: readonly string[],
  visibilities: readonly Visibility[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('user')
    .select('lower_name')
    .where('lower_name', 'in', names)
    .where('visibility', 'in', visibilities)
    .execute()
  return rows.map((row) => row.lower_name)
}
