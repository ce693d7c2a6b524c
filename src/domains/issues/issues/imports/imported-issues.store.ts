import type { Insertable } from 'kysely'
import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { AuthorColumns } from '../../../../core/db/original-author.ts'
import {
  asId,
  type IssueId,
  type LabelId,
  type MilestoneId,
  type RepoId,
  type UserId,
} from '../../../../core/platform/crypto/ids.ts'
import type { IssueAssigneeTable, IssueLabelTable, IssueTable } from '../issues.table.ts'
import { indexImportedTexts } from '../texts/imported-text.store.ts'

/** An issue or a pull request of another service, with texts within the limits of the API. Times are epoch milliseconds. */
export interface ImportedIssue {
  readonly number: number
  readonly isPull: boolean
  readonly isClosed: boolean
  readonly isLocked: boolean
  readonly authorId: UserId
  readonly author: AuthorColumns
  readonly title: string
  readonly body: string
  readonly ref: string
  readonly milestoneId: MilestoneId | undefined
  readonly dueAt: number | undefined
  readonly createdAt: number
  readonly updatedAt: number
  readonly closedAt: number | undefined
  /** Position from 1, which `completeImport` makes consecutive; 0 if not pinned. */
  readonly pinOrder: number
  /** Seconds. */
  readonly timeEstimate: number
  /** Labels of the repository, without duplicates. */
  readonly labelIds: readonly LabelId[]
  /** Accounts in the order in which they are shown, without duplicates. */
  readonly assigneeIds: readonly UserId[]
}

/** Rows of one statement: below the limits of both databases on bound values. */
const CHUNK = 1000

/**
 * Inserts at most a few hundred issues or pull requests of an import, with labels, assignees and search texts, and
 * returns their ids by number. Leaves out numbers that the repository already has. Writes no events and no counters.
 */
export async function insertImportedIssues(
  tx: Tx,
  repoId: RepoId,
  issues: readonly ImportedIssue[],
): Promise<ReadonlyMap<number, IssueId>> {
  if (issues.length === 0) return new Map()
  const rows = await tx
    .insertInto('issue')
    .values(issues.map((issue) => rowOf(repoId, issue)))
    .onConflict((conflict) => conflict.columns(['repo_id', 'number']).doNothing())
    .returning(['id', 'number'])
    .execute()
  const ids = new Map(rows.map(({ id, number }) => [number, asId<IssueId>(id)]))
  const inserted = issues.flatMap((issue) => {
    const id = ids.get(issue.number)
    return id === undefined ? [] : { ...issue, id, repoId }
  })
  await insertLabels(tx, inserted)
  await insertAssignees(tx, inserted)
  await indexImportedTexts(
    tx,
    inserted.flatMap(({ id, title, body }) => [
      { issueId: id, repoId, part: 'title', content: title },
      { issueId: id, repoId, part: 'body', content: body },
    ]),
  )
  return ids
}

const rowOf = (repoId: RepoId, issue: ImportedIssue): Insertable<IssueTable> => ({
  repo_id: repoId,
  number: issue.number,
  is_pull: flag(issue.isPull),
  is_closed: flag(issue.isClosed),
  is_locked: flag(issue.isLocked),
  poster_id: issue.authorId,
  ...issue.author,
  title: issue.title,
  body: issue.body,
  ref: issue.ref,
  milestone_id: issue.milestoneId ?? 0,
  due_at: issue.dueAt ?? 0,
  pin_order: issue.pinOrder,
  time_estimate: issue.timeEstimate,
  created_at: issue.createdAt,
  updated_at: issue.updatedAt,
  closed_at: issue.isClosed ? (issue.closedAt ?? issue.updatedAt) : 0,
})

type Inserted = ImportedIssue & { readonly id: IssueId; readonly repoId: RepoId }

const copiesOf = ({ id, repoId, isClosed, isPull, createdAt }: Inserted) => ({
  issue_id: id,
  repo_id: repoId,
  is_closed: flag(isClosed),
  is_pull: flag(isPull),
  created_at: createdAt,
})

async function insertLabels(tx: Tx, issues: readonly Inserted[]): Promise<void> {
  const rows: Insertable<IssueLabelTable>[] = issues.flatMap((issue) =>
    issue.labelIds.map((labelId) => ({ ...copiesOf(issue), label_id: labelId })),
  )
  for (let start = 0; start < rows.length; start += CHUNK)
    await tx
      .insertInto('issue_label')
      .values(rows.slice(start, start + CHUNK))
      .execute()
}

async function insertAssignees(tx: Tx, issues: readonly Inserted[]): Promise<void> {
  const rows: Insertable<IssueAssigneeTable>[] = issues.flatMap((issue) =>
    issue.assigneeIds.map((userId, index) => ({ ...copiesOf(issue), user_id: userId, position: index + 1 })),
  )
  for (let start = 0; start < rows.length; start += CHUNK)
    await tx
      .insertInto('issue_assignee')
      .values(rows.slice(start, start + CHUNK))
      .execute()
}
