import { sql, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '../../../../core/db/database.ts'
import { cachedCount } from '../../../../core/db/read-cache.ts'
import type { IssueFilter } from './issue-filter.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { Residual, Driver } from './ranges.store.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'

/**
 * The repositories whose issues are counted, as tables `repo` and `owner`, and the kinds that the viewer reads in each.
 */
interface CountedRepos {
  readonly tables: RawBuilder<unknown>
  readonly condition: RawBuilder<SqlBool>
  readonly reads: { readonly issues: RawBuilder<SqlBool>; readonly pulls: RawBuilder<SqlBool> }
}

/**
 * The number of issues with a label of this name, counted by label, so that access to a repository is checked once per
 * label and not per issue. Undefined when an issue could be counted twice, or when an organization shares its label of
 * this name among repositories.
 */
export async function countLabelled(
  db: Db,
  name: string,
  { state, kinds }: Pick<IssueFilter, 'kinds' | 'state'>,
  { tables, condition, reads }: CountedRepos,
): Promise<number | undefined> {
  const named = sql<SqlBool>`label.name = ${name}`
  const ambiguous = sql<number>`select count(*) - count(distinct label.repo_id) from label where ${named}`
  if ((await totalOf(db, ambiguous)) > 0) return undefined
  const ofState = state === 'all' ? sql`` : sql`and found.is_closed = ${sql.lit(state === 'closed' ? 1 : 0)}`
  const counts = (['issues', 'pulls'] as const).flatMap((kind) =>
    kinds[kind]
      ? [
          sql`case when ${reads[kind]} then (select count(*) from issue_label as found where found.label_id = label.id
            and found.repo_id = repo.id ${ofState} and found.is_pull = ${sql.lit(kind === 'pulls' ? 1 : 0)}) else 0 end`,
        ]
      : [],
  )
  return totalOf(
    db,
    sql`select cast(sum(${sql.join(counts, sql` + `)}) as bigint) from label cross join ${tables}
      where ${named} and repo.id = label.repo_id and ${condition}`,
  )
}

const totalOf = (db: Db, query: RawBuilder<unknown>): Promise<number> =>
  cachedCount(db, db.selectNoFrom(sql<number>`coalesce((${query}), 0)`.as('total')))

// NOTE: the plus keeps the databases from choosing an index of the column: the driver is chosen already.

const ofIssue = (name: string, condition: RawBuilder<SqlBool>): Residual => ({
  name,
  needsIssue: true,
  condition: () => condition,
})

/** The conditions of `filter` on each row, except state and kind. */
export function residualsOf(filter: IssueFilter): Residual[] {
  const { authorId, assigneeId, mentionedId, since, before, isDraft } = filter
  return [
    ...(authorId === undefined ? [] : [ofIssue('poster', sql<SqlBool>`+issue.poster_id = ${authorId}`)]),
    ...(assigneeId === undefined ? [] : [inTable('assignee', 'issue_assignee', assigneeId)]),
    ...(mentionedId === undefined ? [] : [inTable('mention', 'issue_mention', mentionedId)]),
    ...(since === undefined ? [] : [ofIssue('updated', sql<SqlBool>`+issue.updated_at >= ${since}`)]),
    ...(before === undefined ? [] : [ofIssue('updated', sql<SqlBool>`+issue.updated_at <= ${before}`)]),
    ...(isDraft === undefined ? [] : [hasDraftState(isDraft)]),
  ]
}

const hasDraftState = (isDraft: boolean): Residual => ({
  name: 'draft',
  needsIssue: false,
  condition: (id) =>
    sql<SqlBool>`exists (select 1 from pull as other where other.issue_id = ${id} and other.is_draft = ${sql.lit(flag(isDraft))})`,
})

const inTable = (name: string, table: 'issue_assignee' | 'issue_mention', userId: number): Residual => ({
  name,
  needsIssue: false,
  condition: (id) =>
    sql<SqlBool>`exists (select 1 from ${sql.table(table)} as other where other.issue_id = ${id} and other.user_id = ${userId})`,
})

export const hasLabelOf = (name: string, labelIds: readonly number[]): Residual => ({
  name,
  needsIssue: false,
  condition: (id) =>
    sql<SqlBool>`exists (select 1 from issue_label as other where other.issue_id = ${id} and other.label_id in (${sql.join(labelIds)}))`,
})

export const hasMilestoneOf = (ids: readonly number[]): Residual =>
  ofIssue('milestone', sql<SqlBool>`+issue.milestone_id in (${sql.join(ids)})`)

/** The range of the last change; undefined without bounds. */
export function updatedRange({ since, before }: IssueFilter): RawBuilder<SqlBool> | undefined {
  const bounds = [
    ...(since === undefined ? [] : [sql<SqlBool>`issue.updated_at >= ${since}`]),
    ...(before === undefined ? [] : [sql<SqlBool>`issue.updated_at <= ${before}`]),
  ]
  return bounds.length === 0 ? undefined : sql<SqlBool>`${sql.join(bounds, sql` and `)}`
}

interface ReviewSet {
  readonly name: string
  readonly userId: UserId
  /** Selects `issue_id` without duplicates. */
  readonly issues: RawBuilder<unknown>
}

/** The sets of pull requests that the filter selects: those to review, and those reviewed. */
function reviewSetsOf({ requestedOfId, reviewedById }: IssueFilter): ReviewSet[] {
  const sets: ReviewSet[] = []
  if (requestedOfId !== undefined)
    sets.push({ name: 'review request', userId: requestedOfId, issues: requestsOf(requestedOfId) })
  if (reviewedById !== undefined) sets.push({ name: 'review', userId: reviewedById, issues: reviewsBy(reviewedById) })
  return sets
}

/** Pull requests with open requests for the account and its teams. */
const requestsOf = (userId: UserId): RawBuilder<unknown> => sql`
  select issue_id from review where reviewer_id = ${userId} and kind = 'request'
  union
  select review.issue_id from team_member cross join review
    where team_member.user_id = ${userId} and review.team_id = team_member.team_id and review.kind = 'request'`

const reviewsBy = (userId: UserId): RawBuilder<unknown> => sql`
  select distinct issue_id from review
    where reviewer_id = ${userId} and kind in ('approved', 'rejected', 'comment')`

/** Excludes the account's own pull requests (behaviour/issues#listing-and-search). */
export const reviewResiduals = (filter: IssueFilter): Residual[] =>
  reviewSetsOf(filter).flatMap(({ name, userId, issues }) => [
    { name, needsIssue: false, condition: (id) => sql<SqlBool>`${id} in (${issues})` },
    { name: 'own', needsIssue: true, condition: () => sql<SqlBool>`+issue.poster_id <> ${userId}` },
  ])

export const reviewDrivers = (db: Db, filter: IssueFilter): Promise<Driver[]> =>
  Promise.all(
    reviewSetsOf(filter).map(async ({ name, issues }) => ({
      name,
      sources: [{ table: issues }],
      count: await cachedCount(
        db,
        db.selectNoFrom(sql<number>`(select count(*) from (${issues}) as found)`.as('total')),
      ),
    })),
  )
