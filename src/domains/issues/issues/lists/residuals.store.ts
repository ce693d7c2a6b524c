import { sql, type RawBuilder, type SqlBool } from 'kysely'
import { flag } from '../../../../core/db/flag.ts'
import type { Residual } from './ranges.store.ts'
import type { IssueFilter } from './issue-filter.ts'

// NOTE: the plus keeps the databases from choosing an index of the column: the driver is chosen already.

const ofIssue = (name: string, condition: RawBuilder<SqlBool>): Residual => ({
  name,
  needsIssue: true,
  condition: () => condition,
})

/** What `filter` asks of each row, beside state and kind. */
export function residualsOf(filter: IssueFilter): Residual[] {
  const { posterId, assigneeId, mentionedId, since, before, isDraft } = filter
  return [
    ...(posterId === undefined ? [] : [ofIssue('poster', sql<SqlBool>`+issue.poster_id = ${posterId}`)]),
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

/** The range of the last change; undefined if it has no bound. */
export function updatedRange({ since, before }: IssueFilter): RawBuilder<SqlBool> | undefined {
  const bounds = [
    ...(since === undefined ? [] : [sql<SqlBool>`issue.updated_at >= ${since}`]),
    ...(before === undefined ? [] : [sql<SqlBool>`issue.updated_at <= ${before}`]),
  ]
  return bounds.length === 0 ? undefined : sql<SqlBool>`${sql.join(bounds, sql` and `)}`
}
