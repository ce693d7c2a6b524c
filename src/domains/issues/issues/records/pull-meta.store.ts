import type { Db } from '../../../../core/db/database.ts'
import { executePrepared } from '../../../../core/db/prepared-statement.ts'
import { asId, type IssueId } from '../../../../core/platform/crypto/ids.ts'

/** What an issue shows of its pull request. */
export interface PullMeta {
  /** Epoch milliseconds; undefined before the merge. */
  readonly mergedAt: number | undefined
  readonly isDraft: boolean
}

/** By issue; one query, none without ids. */
export async function listPullMetas(db: Db, ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, PullMeta>> {
  if (ids.length === 0) return new Map()
  const rows = await executePrepared(db, metas, { ids })
  return new Map(
    rows.map((row) => [
      asId<IssueId>(row.issue_id),
      { mergedAt: row.is_merged === 1 ? row.merged_at : undefined, isDraft: row.is_draft === 1 },
    ]),
  )
}

const metas = (db: Db, { ids }: { readonly ids: readonly IssueId[] }) =>
  db.selectFrom('pull').select(['issue_id', 'is_merged', 'merged_at', 'is_draft']).where('issue_id', 'in', ids)
