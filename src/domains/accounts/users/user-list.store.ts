import { sql, type ExpressionBuilder, type SelectQueryBuilder } from 'kysely'
import type { Visibility } from '../../../core/access/viewer.ts'
import type { Db } from '../../../core/db/database.ts'
import { flag } from '../../../core/db/flag.ts'
import { cachedPage } from '../../../core/db/page.ts'
import type { Schema } from '../../../core/db/schema.ts'
import { containing } from '../../../core/db/text-match.ts'
import { cachedCount } from '../../../core/db/read-cache.ts'
import { asId, type UserId } from '../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../core/platform/paging.ts'
import { listUsersByIds, type User } from './user.store.ts'

/** The accounts that a list includes for a viewer. */
export interface UserVisibility {
  /** Undefined: every visibility. */
  readonly visibilities?: readonly Visibility[]
  /** The viewer, who is always included; all of its addresses match the keyword. */
  readonly self?: UserId | undefined
  /** Includes followers of the viewer and members of its teams, whatever their visibility. */
  readonly includesAcquaintances?: boolean
  /** The keyword matches hidden addresses too. */
  readonly matchesHiddenEmails?: boolean
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
type UserSort = keyof typeof USER_SORTS

export interface UserOrder {
  readonly by: UserSort
  readonly direction: 'asc' | 'desc'
}

type UserQuery = SelectQueryBuilder<Schema, 'user', object>

/** NOTE: inlined, so that PostgreSQL can reuse the plan of the statement. */
const INDIVIDUAL = sql.lit('individual' as const)

/** Individuals in the given order, by at most four queries: ids from the search index, their rows, the total. */
export function listUsers(
  db: Db,
  filter: UserFilter,
  view: UserVisibility & { readonly order?: UserOrder },
  paging: Paging,
): Promise<Page<User>> {
  const { by, direction } = view.order ?? { by: 'name', direction: 'asc' }
  const query = applyFilter(db.selectFrom('user').where('kind', '=', INDIVIDUAL), filter, view)
  return cachedPage(db, query.select('id').orderBy(USER_SORTS[by], direction).orderBy('id', direction), {
    paging,
    load: (rows) =>
      usersInOrder(
        db,
        rows.map((row) => asId(row.id)),
      ),
    count: () => countVisible(db, filter, view),
  })
}

/** NOTE: a second query counts the viewer: with `or` the database reads every row instead of an index. */
async function countVisible(db: Db, filter: UserFilter, { visibilities, ...others }: UserVisibility): Promise<number> {
  if (!hasCondition(filter)) return countAll(db, visibilities ?? VISIBILITIES, others.self)
  const all = applyFilter(db.selectFrom('user').where('kind', '=', 'individual'), filter, others)
  const count = (query: UserQuery): Promise<number> =>
    cachedCount(
      db,
      query.select((eb) => eb.fn.countAll<number>().as('total')),
    )
  if (visibilities === undefined) return count(all)
  const { self } = others
  const visible = visibilities.length === 0 ? 0 : await count(all.where('visibility', 'in', visibilities))
  if (self === undefined) return visible
  return (
    visible +
    (await count(
      all
        .where('user.id', '=', self)
        .$if(visibilities.length > 0, (q) => q.where('visibility', 'not in', visibilities)),
    ))
  )
}

const VISIBILITIES: readonly Visibility[] = ['public', 'limited', 'private']

const hasCondition = ({ keyword = '', ...others }: UserFilter): boolean =>
  keyword !== '' || Object.values(others).some((value) => value !== undefined)

/**
 * Counts the visible individuals by indexes only: all accounts minus other kinds minus hidden ones. SQLite counts a
 * whole table by its smallest index.
 */
function countAll(db: Db, visibilities: readonly Visibility[], self: UserId | undefined): Promise<number> {
  const hidden = VISIBILITIES.filter((visibility) => !visibilities.includes(visibility))
  const isHidden =
    hidden.length === 0 ? sql`1 = 0` : sql`visibility in (${sql.join(hidden.map((each) => sql.lit(each)))})`
  const hiding = sql`select count(*) from "user" where kind = 'individual' and ${isHidden}`
  const total = sql<number>`(select count(*) from "user") - (select count(*) from "user" where kind in ('organization', 'bot'))
    - (${hiding}) + ${self === undefined ? sql`0` : sql`(${hiding} and id = ${self})`}`
  return cachedCount(db, db.selectNoFrom(total.as('total')))
}

/** The users of these ids, in this order. */
export async function usersInOrder(db: Db, ids: readonly UserId[]): Promise<readonly User[]> {
  const byId = new Map((await listUsersByIds(db, ids)).map((user) => [user.id, user]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

function applyFilter(query: UserQuery, filter: UserFilter, visible: UserVisibility): UserQuery {
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
    .$if(visible.visibilities !== undefined, (q) => q.where((eb) => isVisible(eb, visible)))
    .$if(keyword !== '', (q) => q.where((eb) => matches(eb, keyword, visible)))
    .$if(id !== undefined, (q) => q.where('user.id', '=', id!))
    .$if(visibility !== undefined, (q) => q.where('visibility', '=', visibility!))
    .$if(loginName !== undefined, (q) => q.where('login_name', '=', loginName!))
    .$if(sourceId !== undefined, (q) => q.where('source_id', '=', sourceId!))
    .$if(isActive !== undefined, (q) => q.where('is_active', '=', flag(isActive!)))
    .$if(isAdmin !== undefined, (q) => q.where('is_admin', '=', flag(isAdmin!)))
    .$if(isRestricted !== undefined, (q) => q.where('is_restricted', '=', flag(isRestricted!)))
    .$if(isLoginProhibited !== undefined, (q) => q.where('is_login_prohibited', '=', flag(isLoginProhibited!)))
    .$if(hasTwoFactor !== undefined, (q) =>
      q.where((eb) => (hasTwoFactor ? hasSecondStep(eb) : eb.not(hasSecondStep(eb)))),
    )
}

type Builder = ExpressionBuilder<Schema, 'user'>

/** One-time codes or a passkey. */
function hasSecondStep(eb: Builder) {
  return eb.or([
    eb.exists(
      eb
        .selectFrom('two_factor')
        .select('two_factor.user_id')
        .whereRef('two_factor.user_id', '=', 'user.id')
        .where('two_factor.is_confirmed', '=', 1),
    ),
    eb.exists(eb.selectFrom('passkey').select('passkey.id').whereRef('passkey.user_id', '=', 'user.id')),
  ])
}

/** With an empty list of visibilities only the viewer is visible. */
export function isVisible(eb: Builder, { visibilities = [], self }: UserVisibility): ReturnType<Builder['or']> {
  return eb.or([
    ...(visibilities.length === 0
      ? []
      : [
          eb(
            'user.visibility',
            'in',
            visibilities.map((each) => sql.lit(each)),
          ),
        ]),
    ...(self === undefined ? [] : [eb('user.id', '=', self)]),
  ])
}

function matches(
  eb: Builder,
  keyword: string,
  { matchesHiddenEmails = false, self }: UserVisibility,
): ReturnType<Builder['or']> {
  const email = containing(eb.fn<string>('lower', ['user.email']), keyword)
  return eb.or([
    containing(eb.ref('user.search_text'), keyword),
    ...(matchesHiddenEmails ? [email] : []),
    ...(self === undefined || matchesHiddenEmails ? [] : [eb.and([eb('user.id', '=', self), email])]),
  ])
}

/** The lower-case names that belong to accounts of these visibilities. */
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
