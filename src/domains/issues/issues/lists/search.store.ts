import { expressionBuilder, sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Viewer } from '../../../../core/access/viewer.ts'
import { readsUnit, someHideFrom, visibleRepos } from '../../../../core/access/visible-repos.ts'
import type { Db } from '../../../../core/db/database.ts'
import type { DatabaseDialect, Join } from '../../../../core/db/dialect/dialect.ts'
import { cachedCount } from '../../../../core/db/read-cache.ts'
import type { Schema } from '../../../../core/db/schema.ts'
import type { IssueId, UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Page, type Paging, totalOf } from '../../../../core/platform/paging.ts'
import { repoQueries } from '../../../repositories/index.ts'
import { matchingTexts, type SearchedTexts } from '../texts/text-match.store.ts'
import { countIds, type Driver, type Listing, ORDERS, type Residual, selectIds } from './ranges.store.ts'
import { chooseDriver, chooseToCount } from './choose-driver.ts'
import { countLabelled, residualsOf, updatedRange, reviewDrivers, reviewResiduals } from './lists.store.ts'
import { findKnownLabels, findKnownMilestones, type KnownMilestones, type SeesRepo } from './find-named.store.ts'
import type { IssueFilter, IssueSort } from './issue-filter.ts'
import { unitOfRow } from '../readable-issues.store.ts'

/** The filter of a search over all repositories. */
interface SearchFilter extends IssueFilter {
  readonly ownerId: UserId | undefined
  readonly teamId: number | undefined
  /** Names: an issue must have a label of one of them; unknown names are ignored, and an empty list does not filter. */
  readonly labels: readonly string[]
  /** Titles, case-insensitive, and ids; treated like the labels. */
  readonly milestones: readonly string[]
}

interface Search {
  readonly filter: SearchFilter
  readonly sort: IssueSort
  readonly paging: Paging
}

type RepoAndOwner = Schema & { owner: Schema['user'] }

/** The ids of issues of repositories that the viewer may see: a fixed number of queries, see `chooseDriver`. */
export async function searchIssueIds(
  db: Db,
  dialect: DatabaseDialect,
  viewer: Viewer,
  { filter, sort, paging }: Search,
): Promise<Page<IssueId>> {
  const scope = await scopeOf(db, dialect, viewer, filter)
  const [labels, { titles, ids }] = await Promise.all([
    findKnownLabels(db, filter.labels, scope.sees),
    findKnownMilestones(db, filter.milestones, scope.sees),
  ])
  const residuals = [
    ...residualsOf(filter),
    ...reviewResiduals(filter),
    ...(labels.length === 0 ? [] : [hasLabelNamed(labels)]),
    ...(titles.length + ids.length === 0 ? [] : [hasMilestoneNamed({ titles, ids })]),
  ]
  const byCreation = ORDERS[sort].key === undefined
  const { narrow, wide, repos } = await driversOf(db, filter, {
    labels,
    milestones: { titles, ids },
    scope,
    dialect: dialect.name,
  })
  const driver = chooseDriver({ narrow, wide, byCreation, wanted: paging.offset + paging.limit })
  const listing: Listing = { driver, residuals, filter, sort, join: scope.join }
  const found = await selectIds(db, listing, paging)
  const isByLabel = labels.length === 1 && residuals.length === 1 && filter.texts === undefined
  const count = async (): Promise<number> => {
    if (repos !== undefined && residuals.length === 0) return repos.count
    const labelled = isByLabel
      ? await countLabelled(db, labels[0]!, filter, { ...scope.repos, reads: scope.reads })
      : undefined
    if (labelled !== undefined) return labelled
    return countIds(db, {
      ...listing,
      driver: chooseToCount(narrow) ?? driver,
      filter: { ...filter, after: undefined },
    })
  }
  return {
    items: found.ids,
    total:
      found.total ?? (filter.after === undefined ? totalOf(paging, found.ids.length) : undefined) ?? (await count()),
  }
}

interface Scope {
  readonly sees: SeesRepo
  /** Joins an issue to its repository if the viewer reads the unit of the issue. */
  readonly join: NonNullable<Listing['join']>
  /** Like `join` for `repo` itself: repositories where the viewer reads the unit of one of the kinds. */
  readonly repos: Join
  readonly reads: { readonly issues: RawBuilder<SqlBool>; readonly pulls: RawBuilder<SqlBool> }
}

async function scopeOf(
  db: Db,
  dialect: DatabaseDialect,
  viewer: Viewer,
  { ownerId, teamId }: SearchFilter,
): Promise<Scope> {
  const someHide = await someHideFrom(db, viewer)
  const visible = visibleRepos(viewer, { someHide })(expressionBuilder<RepoAndOwner, 'repo'>())
  const reads = { issues: readsUnit(viewer, 'repo.issues'), pulls: readsUnit(viewer, 'repo.pulls') }
  const wanted: Expression<SqlBool>[] = [
    visible,
    ...(ownerId === undefined ? [] : [sql<SqlBool>`repo.owner_id = ${ownerId}`]),
    ...(teamId === undefined ? [] : [repoQueries.inTeam(teamId)]),
  ]
  const tables = sql`repo cross join "user" as owner`
  const bound = sql<SqlBool>`owner.id = repo.owner_id and ${sql.join(wanted, sql` and `)}`
  return {
    reads,
    repos: { tables, condition: bound },
    sees: (repoId) => ({ tables, condition: sql<SqlBool>`repo.id = ${repoId} and ${bound}` }),
    join: (row) =>
      dialect.checkEach({
        tables,
        condition: sql<SqlBool>`repo.id = ${row}.repo_id and ${bound} and ${readsUnit(viewer, unitOfRow(row))}`,
      }),
  }
}

const hasLabelNamed = (names: readonly string[]): Residual => ({
  name: 'label',
  needsIssue: false,
  condition: (id) => sql<SqlBool>`exists (select 1 from issue_label as other cross join label
    where other.issue_id = ${id} and label.id = other.label_id and label.name in (${sql.join(names)}))`,
})

const milestonesNamed = ({ titles, ids }: KnownMilestones): RawBuilder<unknown> => {
  const parts = [
    ...(titles.length === 0 ? [] : [sql`select id from milestone where lower_title in (${sql.join(titles)})`]),
    ...(ids.length === 0 ? [] : [sql`select id from milestone where id in (${sql.join(ids)})`]),
  ]
  return sql.join(parts, sql` union `)
}

const hasMilestoneNamed = (known: KnownMilestones): Residual => ({
  name: 'milestone',
  needsIssue: true,
  condition: () => sql<SqlBool>`+issue.milestone_id in (${milestonesNamed(known)})`,
})

interface Narrowing {
  readonly labels: readonly string[]
  readonly milestones: KnownMilestones
  readonly scope: Scope
  readonly dialect: SearchedTexts['dialect']
}

interface Drivers {
  readonly narrow: readonly Driver[]
  readonly wide: Driver
  /** All issues of the visible repositories, counted; undefined when a filter makes the count unnecessary. */
  readonly repos: Driver | undefined
}

async function driversOf(db: Db, filter: SearchFilter, narrowing: Narrowing): Promise<Drivers> {
  const { texts } = filter
  const wide: Driver = { name: 'all', sources: [{ table: 'issue' }], count: 0, splitsState: true, isOrdered: true }
  if (texts !== undefined) {
    const table = matchingTexts({ query: texts, repoId: undefined, dialect: narrowing.dialect })
    return { wide, narrow: [{ name: 'texts', sources: [{ table }], count: 0 }], repos: undefined }
  }
  const users = [...ofUsers(filter), ...(await reviewDrivers(db, filter))]
  if (users.length > 0) return { wide, narrow: users, repos: undefined }
  const { labels, milestones } = narrowing
  const [total, ...sets] = await Promise.all([
    countOf(db, sql`select max(id) from issue`),
    ofRepos(db, filter, narrowing.scope),
    ...(labels.length === 0 ? [] : [ofLabels(db, labels)]),
    ...(milestones.titles.length + milestones.ids.length === 0 ? [] : [ofMilestones(db, milestones)]),
    ...ofUpdated(db, filter),
  ])
  return { wide: { ...wide, count: total }, narrow: sets, repos: sets[0] }
}

function ofUsers({ authorId, assigneeId, mentionedId }: IssueFilter): Driver[] {
  const ordered = { count: 0, splitsState: true, isOrdered: true } as const
  const found = (userId: number): RawBuilder<SqlBool> => sql<SqlBool>`found.user_id = ${userId}`
  return [
    ...(assigneeId === undefined
      ? []
      : [{ ...ordered, name: 'assignee', sources: [{ table: 'issue_assignee' as const, at: found(assigneeId) }] }]),
    ...(mentionedId === undefined
      ? []
      : [{ ...ordered, name: 'mention', sources: [{ table: 'issue_mention' as const, at: found(mentionedId) }] }]),
    ...(authorId === undefined
      ? []
      : [
          {
            ...ordered,
            name: 'author',
            sources: [{ table: 'issue' as const, at: sql<SqlBool>`issue.poster_id = ${authorId}` }],
          },
        ]),
  ]
}

const copiesOf = (table: 'issue' | 'issue_label'): RawBuilder<unknown> =>
  sql.join(['repo_id', 'is_closed', 'is_pull', 'created_at'].map((column) => sql.ref(`${table}.${column}`)))

/** NOTE: counted by the counters of repositories, not by their issues. */
async function ofRepos(db: Db, { state, kinds }: SearchFilter, { repos, reads }: Scope): Promise<Driver> {
  const counters = (['issues', 'pulls'] as const).flatMap((kind) =>
    (['open', 'closed'] as const).flatMap((each) =>
      kinds[kind] && (state === 'all' || state === each)
        ? [sql`case when ${reads[kind]} then ${sql.ref(`repo.${each}_${kind}_count`)} else 0 end`]
        : [],
    ),
  )
  const count = await countOf(
    db,
    sql`select cast(sum(${sql.join(counters, sql` + `)}) as bigint) from ${repos.tables} where ${repos.condition}`,
  )
  const table = sql`select issue.id as issue_id, ${copiesOf('issue')} from ${repos.tables} cross join issue
    where issue.repo_id = repo.id and ${repos.condition}`
  return { name: 'repos', sources: [{ table, hasCopies: true }], count }
}

async function ofLabels(db: Db, names: readonly string[]): Promise<Driver> {
  const named = sql`label.name in (${sql.join(names)})`
  const table = sql`select distinct issue_label.issue_id, ${copiesOf('issue_label')} from label cross join issue_label
    where issue_label.label_id = label.id and ${named}`
  const count = await countOf(db, sql`select cast(sum(label.issues_count) as bigint) from label where ${named}`)
  return { name: 'label', sources: [{ table, hasCopies: true }], count }
}

async function ofMilestones(db: Db, known: KnownMilestones): Promise<Driver> {
  const ids = milestonesNamed(known)
  const count = await countOf(
    db,
    sql`select cast(sum(open_issues + closed_issues) as bigint) from milestone where id in (${ids})`,
  )
  return {
    name: 'milestone',
    sources: [{ table: sql`select issue.id as issue_id from issue where issue.milestone_id in (${ids})` }],
    count,
  }
}

function ofUpdated(db: Db, filter: IssueFilter): Promise<Driver>[] {
  const range = updatedRange(filter)
  if (range === undefined) return []
  const count = countOf(db, sql`select count(*) from issue where ${range}`)
  return [count.then((found) => ({ name: 'updated', sources: [{ table: 'issue', at: range }], count: found }))]
}

const countOf = async (db: Db, query: RawBuilder<unknown>): Promise<number> =>
  cachedCount(db, db.selectNoFrom(sql<number>`coalesce((${query}), 0)`.as('total')))
