import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { cachedCount } from '../../../../core/db/read-cache.ts'
import type { Join } from '../../../../core/db/dialect/dialect.ts'
import { asId, type IssueId } from '../../../../core/platform/crypto/ids.ts'
import type { IssueFilter, IssueSort } from './issue-filter.ts'

// NOTE: written as SQL text, like the conditions of access/visible-repos.ts: the parts of a list use different tables.

type Condition = RawBuilder<SqlBool>

/** The rows of one index range; each is one issue. */
interface Source {
  /** The other tables copy repository, state, kind and creation time from `issue`. */
  readonly table: 'issue' | 'issue_assignee' | 'issue_label' | 'issue_mention' | RawBuilder<unknown>
  /** Whether `table` is a query that returns these copies, not only the ids. */
  readonly hasCopies?: boolean
  /** The range; undefined for all rows. */
  readonly at?: Condition
  /** Replaces the column of the order, see `ORDERS`. */
  readonly key?: RawBuilder<number>
}

/** An access path: issues that a filter selects by an index. */
export interface Driver {
  /** The filter, which needs no further condition. */
  readonly name: string
  readonly sources: readonly Source[]
  /** An upper bound of the number of issues. */
  readonly count: number
  /** In the index the state precedes the creation time, so each state is a separate range. */
  readonly splitsState?: boolean
  /** The ranges of the driver are in creation order. */
  readonly isOrdered?: boolean
  /** An issue can be in several sources. */
  readonly repeats?: boolean
}

/** The condition of a filter on rows from another access path. */
export interface Residual {
  readonly name: string
  /** Uses columns of `issue`, or only the id. */
  readonly condition: (id: RawBuilder<number>) => Condition
  readonly needsIssue: boolean
}

export interface Listing {
  readonly driver: Driver
  readonly residuals: readonly Residual[]
  readonly filter: Pick<IssueFilter, 'state' | 'kinds' | 'after'>
  readonly sort: IssueSort
  /** Further tables and the condition that joins them to the given row, see `search.store.ts`. */
  readonly join?: (row: RawBuilder<unknown>) => Join
}

export interface Order {
  readonly key?: 'updated_at' | 'comments_count' | 'due_at'
  readonly direction: 'asc' | 'desc'
}

/** Equal values are in creation order, in the same direction. */
export const ORDERS: Readonly<Record<IssueSort, Order>> = {
  latest: { direction: 'desc' },
  oldest: { direction: 'asc' },
  recentupdate: { key: 'updated_at', direction: 'desc' },
  leastupdate: { key: 'updated_at', direction: 'asc' },
  mostcomment: { key: 'comments_count', direction: 'desc' },
  leastcomment: { key: 'comments_count', direction: 'asc' },
  nearduedate: { key: 'due_at', direction: 'asc' },
  farduedate: { key: 'due_at', direction: 'desc' },
}

/** Sorts after every time: issues without a due date, when the nearest is first. */
const NEVER = sql.lit<number>(Number.MAX_SAFE_INTEGER)
const isNearest = (sort: IssueSort): boolean => sort === 'nearduedate'

/** NOTE: the first page reads all matching texts and counts them at the same time. */
const countsItself = ({ driver, filter }: Listing): boolean => driver.name === 'texts' && filter.after === undefined

/** The ids of a window, and the total if it is free. */
export async function selectIds(
  db: Db,
  listing: Listing,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<{ readonly ids: readonly IssueId[]; readonly total: number | undefined }> {
  const { key, direction } = ORDERS[listing.sort]
  const to = sql.raw(direction)
  const order = key === undefined ? sql`created_at ${to}, id ${to}` : sql`sort_key ${to}, created_at ${to}, id ${to}`
  const union = countsItself(listing)
    ? sql`select id, count(*) over () as total from (${unionOf(listing)}) as counted`
    : unionOf(listing)
  // NOTE: written out, because PostgreSQL expects a parameter to skip a tenth of all rows.
  const skipped = offset === 0 ? sql.lit(0) : offset
  const query = sql<{
    id: number
    total?: number
  }>`${union} order by ${order} limit ${sql.lit(limit)} offset ${skipped}`
  const { rows } = await query.execute(db)
  return { ids: rows.map(({ id }) => asId(id)), total: rows[0]?.total }
}

export const countIds = (db: Db, listing: Listing): Promise<number> =>
  cachedCount(
    db,
    db
      .selectFrom(sql<{ id: number }>`(${unionOf({ ...listing, sort: 'latest' })})`.as('found'))
      .select((eb) => eb.fn.countAll<number>().as('total')),
  )

/** NOTE: both databases merge sorted parts and stop at the limit. */
function unionOf(listing: Listing): RawBuilder<unknown> {
  const arms = sourcesOf(listing).flatMap((source) =>
    statesOf(listing).map((isClosed) => armOf(listing, source, isClosed)),
  )
  return sql.join(arms, listing.driver.repeats ? sql` union ` : sql` union all `)
}

/** If the nearest due date comes first, issues without one are a part of their own. */
function sourcesOf({ driver, sort }: Listing): readonly Source[] {
  if (!isNearest(sort) || driver.sources.some(({ table }) => table !== 'issue')) return driver.sources
  const and = ({ at }: Source, due: Condition): Condition => (at === undefined ? due : sql<SqlBool>`${at} and ${due}`)
  return driver.sources.flatMap((source) => [
    { ...source, at: and(source, sql<SqlBool>`issue.due_at > 0`), key: sql<number>`issue.due_at` },
    { ...source, at: and(source, sql<SqlBool>`issue.due_at = 0`), key: NEVER },
  ])
}

function statesOf({ driver, filter }: Listing): readonly (0 | 1 | undefined)[] {
  if (filter.state !== 'all') return [filter.state === 'closed' ? 1 : 0]
  return driver.splitsState ? [0, 1] : [undefined]
}

const keyOf = (sort: IssueSort): RawBuilder<number> | undefined => {
  const { key } = ORDERS[sort]
  if (key === undefined) return undefined
  return isNearest(sort)
    ? sql<number>`case when issue.due_at = 0 then ${NEVER} else issue.due_at end`
    : sql<number>`issue.${sql.ref(key)}`
}

/** A source with the names of its columns. */
interface Arm {
  readonly source: Source
  readonly isClosed: 0 | 1 | undefined
  readonly residuals: readonly Residual[]
  /** The row with the state, the kind and the creation time. */
  readonly row: RawBuilder<unknown>
  readonly id: RawBuilder<number>
  readonly joinsIssue: boolean
}

function armOf(listing: Listing, source: Source, isClosed: 0 | 1 | undefined): RawBuilder<unknown> {
  const { sort, driver } = listing
  const residuals = listing.residuals.filter(({ name }) => name !== driver.name)
  const isIssue = source.table === 'issue'
  const hasCopies = !isIssue && (typeof source.table === 'string' || source.hasCopies === true)
  const needsIssue = ORDERS[sort].key !== undefined || residuals.some((residual) => residual.needsIssue)
  const arm: Arm = {
    source,
    isClosed,
    residuals,
    row: sql.raw(hasCopies ? 'found' : 'issue'),
    id: isIssue ? sql<number>`issue.id` : sql<number>`found.issue_id`,
    joinsIssue: !isIssue && (!hasCopies || needsIssue),
  }
  const join = listing.join?.(arm.row)
  const key = source.key ?? keyOf(sort)
  const tables = [
    tableOf(source),
    ...(arm.joinsIssue ? [sql`issue`] : []),
    ...(join === undefined ? [] : [join.tables]),
  ]
  const conditions = [
    ...ownConditions(arm),
    ...listConditions(listing, arm),
    ...(join === undefined ? [] : [join.condition]),
  ]
  return sql`select ${key === undefined ? sql`` : sql`${key} as sort_key, `}${arm.row}.created_at as created_at, ${arm.id} as id
    from ${sql.join(tables, sql` cross join `)} where ${sql.join([sql`1 = 1`, ...conditions], sql` and `)}`
}

const tableOf = ({ table }: Source): RawBuilder<unknown> => {
  if (typeof table !== 'string') return sql`(${table}) as found`
  return table === 'issue' ? sql`issue` : sql`${sql.table(table)} as found`
}

const ownConditions = ({ source, joinsIssue, residuals, id }: Arm): Condition[] => [
  ...(joinsIssue ? [sql<SqlBool>`issue.id = found.issue_id`] : []),
  ...(source.at === undefined ? [] : [source.at]),
  ...residuals.map(({ condition }) => condition(id)),
]

const hasState = ({ driver, sort }: Listing): boolean =>
  driver.splitsState === true || (driver.isOrdered === true && ORDERS[sort].key === undefined)

function listConditions(listing: Listing, { row, id, isClosed }: Arm): Condition[] {
  const { kinds, after } = listing.filter
  const inState = (state: 0 | 1): Condition =>
    hasState(listing)
      ? sql<SqlBool>`${row}.is_closed = ${sql.lit(state)}`
      : // NOTE: SQLite would use the index of the state, although the driver has another one; PostgreSQL removes it.
        sql<SqlBool>`not (${row}.is_closed <> ${sql.lit(state)})`
  const isBoth = kinds.issues && kinds.pulls
  return [
    ...(isClosed === undefined ? [] : [inState(isClosed)]),
    ...(isBoth ? [] : [sql<SqlBool>`${row}.is_pull = ${sql.lit(kinds.pulls ? 1 : 0)}`]),
    ...(after === undefined ? [] : [behind(listing, after, { row, id })]),
  ]
}

function behind(
  { sort }: Listing,
  { createdAt, id: lastId }: NonNullable<IssueFilter['after']>,
  { row, id }: { readonly row: RawBuilder<unknown>; readonly id: RawBuilder<number> },
): Condition {
  const than = sql.raw(ORDERS[sort].direction === 'desc' ? '<' : '>')
  return sql<SqlBool>`${row}.created_at ${than}= ${createdAt} and (${row}.created_at ${than} ${createdAt} or ${id} ${than} ${lastId})`
}
