import { type Tx, dialectOf, type Db } from '../../../../core/db/database.ts'
import { cachedUntilCommit } from '../../../../core/db/read-cache.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { Issue } from './issue.store.ts'
import { sql } from 'kysely'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type LabelId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Label, toLabel } from '../../labels/label.store.ts'

/** The columns that rows of labels, assignees and mentions copy from their issue. */
export const copiesOf = ({ id, repoId, isClosed, isPull, createdAt }: Issue) => ({
  issue_id: id,
  repo_id: repoId,
  is_closed: flag(isClosed),
  is_pull: flag(isPull),
  created_at: createdAt,
})

export type IssueCopies = ReturnType<typeof copiesOf>

/** Sets the state in the rows that copy it from the issue. */
export async function updateStateCopies(tx: Tx, { id, isClosed }: Pick<Issue, 'id' | 'isClosed'>): Promise<void> {
  for (const table of ['issue_label', 'issue_assignee', 'issue_mention'] as const)
    await tx
      .updateTable(table)
      .set({ is_closed: flag(isClosed) })
      .where('issue_id', '=', id)
      .execute()
}

/** Sets the repository in the rows that copy it from the issue, except for its labels. */
export async function updateRepoCopies(tx: Tx, { id, repoId }: Pick<Issue, 'id' | 'repoId'>): Promise<void> {
  for (const table of ['issue_assignee', 'issue_mention', 'issue_text', 'timeline_entry'] as const)
    await tx.updateTable(table).set({ repo_id: repoId }).where('issue_id', '=', id).execute()
}

/** Counter columns of issues, each with the query that counts it for the row `counted`. */
export const issueCounters = {
  comments_count: sql`select count(*) + counted.reviews_counted from timeline_entry where issue_id = counted.id and kind = 'comment'`,
}

const issuesWhere = ({ isPull, isClosed }: { readonly isPull: 0 | 1; readonly isClosed: 0 | 1 }) =>
  sql`select count(*) from issue where repo_id = counted.id and is_pull = ${sql.lit(isPull)} and is_closed = ${sql.lit(isClosed)}`

/** The same for the counters of issues in repositories. */
export const issueCountersOfRepos = {
  open_issues_count: issuesWhere({ isPull: 0, isClosed: 0 }),
  closed_issues_count: issuesWhere({ isPull: 0, isClosed: 1 }),
  open_pulls_count: issuesWhere({ isPull: 1, isClosed: 0 }),
  closed_pulls_count: issuesWhere({ isPull: 1, isClosed: 1 }),
}

/** Recounts a column for these issues. */
export async function recountIssues(tx: Tx, column: keyof typeof issueCounters, ids: readonly number[]): Promise<void> {
  // NOTE: waits for concurrent transactions on these rows, so that the next statement reads their changes.
  await dialectOf(tx)
    .lockRows(tx.selectFrom('issue').select('id').where('id', 'in', ids))
    .execute()
  await sql`update issue as counted set ${sql.ref(column)} = (${issueCounters[column]}) where id in (${sql.join(ids)})`.execute(
    tx,
  )
}

/** The labels of each issue, sorted by name. */
export async function listLabelsOfIssues(db: Db, issueIds: readonly IssueId[]): Promise<Map<IssueId, Label[]>> {
  if (issueIds.length === 0) return new Map()
  const rows = await cachedUntilCommit(db, `issue_label ${issueIds.join()}`, () => labelsOf(db, { issueIds }))
  const byIssue = Map.groupBy(rows, (row) => asId<IssueId>(row.issue_id))
  return new Map([...byIssue].map(([id, own]) => [id, own.map(toLabel)]))
}

const labelsOf = defineQuery((db, { issueIds }: { issueIds: readonly IssueId[] }) =>
  db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .select('issue_label.issue_id')
    .where('issue_label.issue_id', 'in', issueIds)
    .orderBy('label.name')
    .orderBy('label.id'),
)

export async function insertIssueLabels(tx: Tx, issue: Issue, labels: readonly Pick<Label, 'id'>[]): Promise<void> {
  if (labels.length === 0) return
  await insertion(tx, { labelIds: labels.map(({ id }) => id), ...copiesOf(issue) })
}

const insertion = defineQuery((db, { labelIds, ...copies }: IssueCopies & { labelIds: readonly LabelId[] }) =>
  db
    .insertInto('issue_label')
    .values(labelIds.map((labelId) => ({ ...copies, label_id: labelId })))
    .onConflict((conflict) => conflict.doNothing()),
)

export async function deleteIssueLabels(tx: Tx, issueId: IssueId, labelIds: readonly LabelId[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx.deleteFrom('issue_label').where('issue_id', '=', issueId).where('label_id', 'in', labelIds).execute()
}

/** Detaches the labels of an organization from the issues of a repository that left it. */
export async function deleteOrgLabels(tx: Tx, repoId: RepoId, orgId: UserId): Promise<void> {
  await tx
    .deleteFrom('issue_label')
    .where('issue_id', 'in', (eb) => eb.selectFrom('issue').select('issue.id').where('issue.repo_id', '=', repoId))
    .where('label_id', 'in', (eb) => eb.selectFrom('label').select('label.id').where('label.org_id', '=', orgId))
    .execute()
}

/** The data of a pull request in the wire model of its issue. */
export interface PullMeta {
  /** Epoch milliseconds; undefined before the merge. */
  readonly mergedAt: number | undefined
  readonly isDraft: boolean
}

/** Pull requests by issue; one query, or none without ids. */
export async function listPullMetas(db: Db, ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, PullMeta>> {
  if (ids.length === 0) return new Map()
  const rows = await metas(db, { ids })
  return new Map(
    rows.map((row) => [
      asId<IssueId>(row.issue_id),
      { mergedAt: row.is_merged === 1 ? row.merged_at : undefined, isDraft: row.is_draft === 1 },
    ]),
  )
}

const metas = defineQuery((db, { ids }: { ids: readonly IssueId[] }) =>
  db.selectFrom('pull').select(['issue_id', 'is_merged', 'merged_at', 'is_draft']).where('issue_id', 'in', ids),
)
