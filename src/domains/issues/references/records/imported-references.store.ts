import { sql } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { type CredentialRestriction, formatRestriction } from '../../../../core/access/authorize.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import { isKind, secondOf, type TimelineEntry } from '../../issues/timeline/timeline-entry.store.ts'

/**
 * Records the references of imported entries, so that an edit of their texts does not repeat them. A keyword acts later
 * with the rights of the author of the entry and with this restriction.
 */
export async function insertImportedReferences(
  tx: Tx,
  entries: readonly TimelineEntry[],
  restriction: CredentialRestriction | undefined,
): Promise<void> {
  const texts = entries.flatMap((entry) => {
    const isOfComment = isKind(entry, 'comment_ref')
    if (!isOfComment && !isKind(entry, 'issue_ref') && !isKind(entry, 'pull_ref')) return []
    const { action } = entry.payload
    const commentId = isOfComment ? entry.payload.commentId : 0
    if (action === 'neutered' || (isOfComment && commentId === 0)) return []
    return {
      source_issue_id: entry.targetId,
      source_comment_id: commentId,
      issue_id: entry.issueId,
      entry_id: entry.id,
      action,
      restriction: formatRestriction(restriction),
    }
  })
  const commits = entries.flatMap((entry) =>
    isKind(entry, 'commit_ref')
      ? { issue_id: entry.issueId, oid: entry.payload.oid, entry_id: entry.id, is_settled: 1 as const }
      : [],
  )
  if (texts.length > 0)
    await tx
      .insertInto('cross_reference')
      .values(texts)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  if (commits.length > 0)
    await tx
      .insertInto('commit_reference')
      .values(commits)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
}

const TEXTS = ['comment', 'review', 'code'] as const

interface Written {
  readonly issueId: IssueId
  /** Epoch milliseconds. */
  readonly at: number
}

export interface ImportedText {
  /** Id of its entry in the timeline. */
  readonly id: number
  /** The first characters. */
  readonly beginning: string
}

const BEGINNING = 200

/** The comments of each second in which one was written, oldest first, by `textKey`. */
export async function listImportedTexts(
  db: Db,
  written: readonly Written[],
): Promise<ReadonlyMap<string, readonly ImportedText[]>> {
  if (written.length === 0) return new Map()
  const rows = await db
    .selectFrom('timeline_entry')
    .select(['id', 'issue_id', 'created_at', sql<string>`substr(body, 1, ${sql.lit(BEGINNING)})`.as('beginning')])
    .where('issue_id', 'in', [...new Set(written.map(({ issueId }) => issueId))])
    .where('created_at', 'in', [...new Set(written.map(({ at }) => secondOf(at)))])
    .where('kind', 'in', TEXTS)
    .orderBy('id')
    .limit(10_000)
    .execute()
  return Map.groupBy(rows, (row) => `${row.issue_id} ${row.created_at}`)
}

/** The comment with this text, else the first one. */
export const findText = (texts: readonly ImportedText[] = [], body: string): number => {
  const beginning = Array.from(body.slice(0, 2 * BEGINNING))
    .slice(0, BEGINNING)
    .join('')
  return (texts.find((text) => text.beginning === beginning) ?? texts[0])?.id ?? 0
}

export const textKey = ({ issueId, at }: Written): string => `${issueId} ${secondOf(at)}`
