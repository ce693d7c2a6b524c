import { sql, type Expression, type ExpressionBuilder, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../db/database.ts'
import { cachedCount, cachedUntilCommit } from '../db/read-cache.ts'
import type { Schema } from '../db/schema.ts'
import type { RepoId, UserId } from '../platform/crypto/ids.ts'
import { IMPORTER_ID, type Unit, unitBit, UNITS } from './repo-access.ts'
import { ANONYMOUS, type Account, type ScopeSet, type SignedIn, type Viewer, type Visibility } from './viewer.ts'

// NOTE: written as text, not with Kysely's builder: these stand in every list, and building them took longer than
// running them.

type RepoAndOwner = Schema & { owner: Schema['user'] }
const NEVER = sql<SqlBool>`1 = 0`
/** Not being imported. Others than administrators do not see such repositories because they are private. */
const IS_COMPLETE = sql<SqlBool>`repo.owner_id <> ${sql.lit(IMPORTER_ID)}`

type Builder = ExpressionBuilder<RepoAndOwner, 'repo'>

/** The parts of a viewer that these conditions depend on. */
export type RepoViewer = Exclude<Viewer, SignedIn> | SignedInRepoViewer

interface SignedInRepoViewer extends Pick<SignedIn, 'kind' | 'onlyRepos'> {
  readonly account: Pick<Account, 'id' | 'isAdmin' | 'isRestricted' | 'visibility'>
  readonly scopes: Pick<ScopeSet, 'publicOnly'>
}

/** The values of a viewer in these conditions. */
export interface ViewerValues {
  readonly viewerId: UserId | undefined
  readonly onlyRepos: readonly RepoId[] | undefined
}

/** For statements of `defineQuery`: the values, and the shape, a text of what else determines the SQL. */
export function splitViewer(viewer: RepoViewer): { readonly values: ViewerValues; readonly shape: string } {
  if (viewer.kind === 'anonymous') return { values: { viewerId: undefined, onlyRepos: undefined }, shape: '' }
  const { account, scopes, onlyRepos } = viewer
  return {
    values: { viewerId: account.id, onlyRepos: onlyRepos && [...onlyRepos] },
    shape: [account.visibility, account.isAdmin, account.isRestricted, scopes.publicOnly].join(' '),
  }
}

/** The reverse of `splitViewer`. */
export function joinViewer({ viewerId, onlyRepos }: ViewerValues, shape: string): RepoViewer {
  if (viewerId === undefined) return ANONYMOUS
  const [visibility, isAdmin, isRestricted, publicOnly] = shape.split(' ')
  return {
    kind: 'user',
    account: {
      id: viewerId,
      visibility: visibility as Visibility,
      isAdmin: isAdmin === 'true',
      isRestricted: isRestricted === 'true',
    },
    scopes: { publicOnly: publicOnly === 'true' },
    onlyRepos: onlyRepos && new Set(onlyRepos),
  }
}

/**
 * The rows a viewer may see, for queries over `repo`: the SQL twin of policy/repo-access.ts `decideRepoAccess`, proven
 * equal by a property test. Most rows are decided by their own columns, the others are in one set that is built once
 * per query. `someHide: false` says that no owner hides from this viewer (`someHideFrom`), which saves reading each
 * row's owner.
 */
export function visibleRepos(
  viewer: RepoViewer,
  { someHide = true }: { readonly someHide?: boolean } = {},
): (eb: Builder) => Expression<SqlBool> {
  return (eb) => {
    if (viewer.kind === 'anonymous') return openTo(HIDDEN_FROM_ALL, someHide)
    const { account } = viewer
    const conditions: Expression<SqlBool>[] = []
    if (viewer.onlyRepos)
      conditions.push(viewer.onlyRepos.size === 0 ? NEVER : eb('repo.id', 'in', [...viewer.onlyRepos]))
    if (viewer.scopes.publicOnly) conditions.push(isPublic())
    if (account.isAdmin) conditions.push(IS_COMPLETE)
    else
      conditions.push(
        sql<SqlBool>`(${openTo(hiddenFrom(account), someHide)} or repo.id in (${visibleByGrant(account, 'union all')}))`,
      )
    return eb.and(conditions)
  }
}

const HIDDEN_FROM_ALL = ['limited', 'private'] as const

const hiddenFrom = ({ isRestricted }: Pick<Account, 'isRestricted'>): readonly Visibility[] =>
  isRestricted ? HIDDEN_FROM_ALL : ['private']

/** NOTE: literals: PostgreSQL plans a statement again at each execution while the best plan depends on parameters. */
const listed = (hidden: readonly Visibility[]): RawBuilder<unknown> => sql.join(hidden.map((each) => sql.lit(each)))

/** Whether there is an owner whose visibility hides it from those who have nothing to do with it. */
export async function someHideFrom(db: Db, viewer: Viewer): Promise<boolean> {
  if (viewer.kind === 'user' && viewer.account.isAdmin) return false
  const hidden = viewer.kind === 'anonymous' ? HIDDEN_FROM_ALL : hiddenFrom(viewer.account)
  return cachedUntilCommit(db, `hidden owners ${hidden.join()}`, async () => {
    const query = db
      .selectFrom('user')
      .select('id')
      .where(sql<SqlBool>`visibility in (${listed(hidden)})`)
    return (await query.limit(1).execute()).length > 0
  })
}

/**
 * The number of rows that `visibleRepos` selects, counted by indexes: all, minus the private ones and those of hidden
 * owners, plus the few of these that the viewer may see. Undefined for viewers whose rows cannot be counted so.
 */
export async function countVisible(db: Db, viewer: Viewer): Promise<number | undefined> {
  if (viewer.kind === 'anonymous') return total(db, openRepos(HIDDEN_FROM_ALL))
  if (viewer.onlyRepos) return undefined
  if (viewer.scopes.publicOnly) return total(db, openRepos(HIDDEN_FROM_ALL))
  const { account } = viewer
  if (account.isAdmin)
    return total(
      db,
      sql<number>`(select count(*) from repo) - (select count(*) from repo where repo.owner_id = ${sql.lit(IMPORTER_ID)})`,
    )
  return total(
    db,
    sql<number>`${openRepos(hiddenFrom(account))} + (select count(*) from (${visibleByGrant(account, 'union')}) as beyond)`,
  )
}

const total = (db: Db, expression: RawBuilder<number>): Promise<number> =>
  cachedCount(db, db.selectNoFrom(expression.as('total')))

/**
 * NOTE: SQLite counts a whole table at once, but by a condition row by row; the cross join makes it begin with the
 * owners.
 */
const openRepos = (hidden: readonly Visibility[]): RawBuilder<number> => sql<number>`(select count(*) from repo)
  - (select count(*) from repo where repo.is_private = 1)
  - (select count(*) from "user" as hidden cross join repo where repo.owner_id = hidden.id and hidden.visibility in (${listed(hidden)}) and repo.is_private = 0)`

/** Public and of a public owner. */
export const isPublic = (): Expression<SqlBool> =>
  sql<SqlBool>`(repo.is_private = 0 and ${ownerIsNone('repo', HIDDEN_FROM_ALL)})`

/**
 * NOTE: the negation keeps SQLite from collecting and sorting all such rows by an index where a page in order is read.
 * PostgreSQL removes it, and estimates the rows by the statistics of the column.
 */
function openTo(hidden: readonly Visibility[], someHide: boolean): RawBuilder<SqlBool> {
  return someHide
    ? sql`(not (repo.is_private <> 0) and ${ownerIsNone('repo', hidden)})`
    : sql`not (repo.is_private <> 0)`
}

/** NOTE: a query of the few hidden owners, not of each owner. */
const ownerIsNone = (repo: string, hidden: readonly Visibility[]): RawBuilder<SqlBool> =>
  sql`${sql.ref(`${repo}.owner_id`)} not in (select hidden.id from "user" as hidden where hidden.visibility in (${listed(hidden)}))`

/**
 * Repositories that the account may see but not every signed-in user: its own, those shared with it, and those of its
 * organizations. `union all` may return a row several times, which saves sorting.
 */
function visibleByGrant(
  account: SignedInRepoViewer['account'],
  union: 'union' | 'union all',
): RawBuilder<{ id: number }> {
  const hidden = hiddenFrom(account)
  const and = sql.raw(union)
  const closed = (repo: string): RawBuilder<SqlBool> =>
    sql`(${sql.ref(`${repo}.is_private`)} = 1 or not (${ownerIsNone(repo, hidden)}))`
  const inTeam = throughTeam('theirs', account.id)
  return sql`select own.id from repo as own where own.owner_id = ${account.id}${hidden.includes(account.visibility) ? sql`` : sql` and own.is_private = 1`}
    ${and} ${sharedWith(account.id)} and ${closed('shared')}
    ${and} ${ofOrgsOf(account.id)} and ${closed('theirs')} and ${account.isRestricted ? inTeam : sql`(theirs.is_private = 0 or ${inTeam})`}`
}

/** NOTE: with cross joins SQLite begins with the user's few rows. */
const sharedWith = (userId: number): RawBuilder<{ id: number }> =>
  sql`select shared.id from collaboration cross join repo as shared where shared.id = collaboration.repo_id and collaboration.user_id = ${userId} and collaboration.mode > 0`

const ofOrgsOf = (userId: number): RawBuilder<{ id: number }> =>
  sql`select theirs.id from org_member cross join repo as theirs where theirs.owner_id = org_member.org_id and org_member.user_id = ${userId}`

/**
 * The repository is the user's own, shared with it, or of an organization of which it is a member; or, if asked, of one
 * of its teams there.
 */
export function nearTo(userId: UserId, { orgs }: { readonly orgs: 'all' | 'teams' }): Expression<SqlBool> {
  return sql<SqlBool>`repo.id in (select own.id from repo as own where own.owner_id = ${userId}
    union ${sharedWith(userId)}
    union ${ofOrgsOf(userId)}${orgs === 'all' ? sql`` : sql` and ${throughTeam('theirs', userId)}`})`
}

/** A unit, or one of two by a condition on the row. */
export type UnitOfRow = Unit | { readonly when: RawBuilder<SqlBool>; readonly unit: Unit; readonly other: Unit }

/** NOTE: literals, see `listed`. */
const ofUnit = (unit: UnitOfRow, valueOf: (unit: Unit) => number | string): RawBuilder<unknown> =>
  typeof unit === 'string'
    ? sql.lit(valueOf(unit))
    : sql`(case when ${unit.when} then ${sql.lit(valueOf(unit.unit))} else ${sql.lit(valueOf(unit.other))} end)`

/**
 * The repositories that the viewer may see and of which it may read a unit: the SQL twin of `unitMode` in
 * repo-access.ts, proven equal by the same test. NOTE: PostgreSQL prepares each part of a plan at each execution, which
 * takes longer than running it: a unit that depends on the row is better than two conditions.
 */
export function readsUnit(viewer: RepoViewer, unit: UnitOfRow): RawBuilder<SqlBool> {
  const isOn = sql<SqlBool>`(repo.units & ${ofUnit(unit, unitBit)}) <> 0`
  if (viewer.kind === 'anonymous' || viewer.account.isAdmin) return isOn
  const { id, isRestricted } = viewer.account
  const openTo = isRestricted ? HIDDEN_FROM_ALL : []
  const isOpen =
    openTo.length === 0
      ? sql<SqlBool>`repo.is_private = 0`
      : sql<SqlBool>`(repo.is_private = 0 and ${ownerIsNone('repo', openTo)})`
  return sql<SqlBool>`(${isOn} and (${isOpen} or owner.kind <> 'organization'
    or exists (select 1 from collaboration where collaboration.repo_id = repo.id and collaboration.user_id = ${id} and collaboration.mode > 0)
    or ${throughTeam('repo', id, sql<SqlBool>`team_unit.unit = ${ofUnit(unit, (name) => name)}`)}))`
}

/** One of the user's teams includes the repository and grants something that is switched on there. */
function throughTeam(
  repo: string,
  userId: number,
  grants: RawBuilder<SqlBool> = sql<SqlBool>`(${sql.table(repo)}.units & ${UNIT_BITS}) <> 0`,
): RawBuilder<SqlBool> {
  const row = sql.table(repo)
  return sql`exists (select 1 from team_member inner join team on team.id = team_member.team_id
    where team_member.org_id = ${row}.owner_id and team_member.user_id = ${userId}
    and (team.includes_all_repositories = 1 or exists (select 1 from team_repo where team_repo.team_id = team.id and team_repo.repo_id = ${row}.id))
    and (team.mode >= 3 or exists (select 1 from team_unit where team_unit.team_id = team.id and team_unit.mode > 0 and ${grants})))`
}

/** The bit of a row of `team_unit`. */
const UNIT_BITS = sql<number>`(case team_unit.unit ${sql.raw(UNITS.map((unit) => `when '${unit}' then ${unitBit(unit)}`).join(' '))} else 0 end)`
