import type { Db, Tx } from '../../../../core/db/database.ts'
import { executePrepared } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId, type LabelId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type Label, toLabel } from '../../labels/label.store.ts'
import { copiesOf, type IssueCopies } from './issue-copies.store.ts'
import type { Issue } from './issue.store.ts'

/** The labels of each issue, sorted by name. */
export async function listLabelsOfIssues(db: Db, issueIds: readonly IssueId[]): Promise<Map<IssueId, Label[]>> {
  if (issueIds.length === 0) return new Map()
  const rows = await executePrepared(db, labelsOf, { issueIds })
  const byIssue = Map.groupBy(rows, (row) => asId<IssueId>(row.issue_id))
  return new Map([...byIssue].map(([id, own]) => [id, own.map(toLabel)]))
}

const labelsOf = (db: Db, { issueIds }: { readonly issueIds: readonly IssueId[] }) =>
  db
    .selectFrom('issue_label')
    .innerJoin('label', 'label.id', 'issue_label.label_id')
    .selectAll('label')
    .select('issue_label.issue_id')
    .where('issue_label.issue_id', 'in', issueIds)
    .orderBy('label.name')
    .orderBy('label.id')

export async function insertIssueLabels(tx: Tx, issue: Issue, labels: readonly Pick<Label, 'id'>[]): Promise<void> {
  if (labels.length === 0) return
  await executePrepared(tx, insertion, { labelIds: labels.map(({ id }) => id), ...copiesOf(issue) })
}

const insertion = (db: Db, { labelIds, ...copies }: IssueCopies & { readonly labelIds: readonly LabelId[] }) =>
  db
    .insertInto('issue_label')
    .values(labelIds.map((labelId) => ({ ...copies, label_id: labelId })))
    .onConflict((conflict) => conflict.doNothing())

export async function deleteIssueLabels(tx: Tx, issueId: IssueId, labelIds: readonly LabelId[]): Promise<void> {
  if (labelIds.length === 0) return
  await tx.deleteFrom('issue_label').where('issue_id', '=', issueId).where('label_id', 'in', labelIds).execute()
}

/** Detaches the labels of an organization from the issues of a repository that it no longer owns. */
export async function deleteOrgLabels(tx: Tx, repoId: RepoId, orgId: UserId): Promise<void> {
  await tx
    .deleteFrom('issue_label')
    .where('issue_id', 'in', (eb) => eb.selectFrom('issue').select('issue.id').where('issue.repo_id', '=', repoId))
    .where('label_id', 'in', (eb) => eb.selectFrom('label').select('label.id').where('label.org_id', '=', orgId))
    .execute()
}
