import type { Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import type { Issue } from './issue.store.ts'

/** What rows of labels, assignees and mentions copy from their issue. */
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

/** Sets the repository in the rows that copy it from the issue, but for its labels. */
export async function updateRepoCopies(tx: Tx, { id, repoId }: Pick<Issue, 'id' | 'repoId'>): Promise<void> {
  for (const table of ['issue_assignee', 'issue_mention', 'issue_text', 'timeline_entry'] as const)
    await tx.updateTable(table).set({ repo_id: repoId }).where('issue_id', '=', id).execute()
}
