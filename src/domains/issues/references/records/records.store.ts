import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { type IssueId, asId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { type CredentialRestriction, formatRestriction, parseRestriction } from '../../../../core/access/authorize.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { CrossReferenceTable } from './reference.table.ts'
import type { KeywordAction } from '../parsing/parse-references.ts'

/** A reference from a commit to an issue. */
export interface CommitReference {
  /** The keyword was applied or could not be: it acts once, whatever happens to the issue later. */
  readonly isSettled: boolean
}

export async function findCommitReference(db: Db, issueId: IssueId, oid: string): Promise<CommitReference | undefined> {
  const row = await db
    .selectFrom('commit_reference')
    .select('is_settled')
    .where('issue_id', '=', issueId)
    .where('oid', '=', oid)
    .executeTakeFirst()
  return row && { isSettled: row.is_settled === 1 }
}

/** `entryId` is the entry in the timeline of the issue. */
export async function insertCommitReference(
  tx: Tx,
  values: { readonly issueId: IssueId; readonly oid: string; readonly entryId: number },
): Promise<void> {
  const { issueId, oid, entryId } = values
  await tx.insertInto('commit_reference').values({ issue_id: issueId, oid, entry_id: entryId }).execute()
}

export async function settleCommitReference(tx: Tx, issueId: IssueId, oid: string): Promise<void> {
  await tx
    .updateTable('commit_reference')
    .set({ is_settled: 1 })
    .where('issue_id', '=', issueId)
    .where('oid', '=', oid)
    .execute()
}

/** The text that contains references: an issue, or a comment on it. */
export interface TextId {
  readonly issueId: IssueId
  /** 0 for the issue itself. */
  readonly commentId: number
}

export interface CrossReference {
  readonly issueId: IssueId
  readonly entryId: number
  readonly action: KeywordAction
}

export async function listCrossReferences(db: Db, { issueId, commentId }: TextId): Promise<CrossReference[]> {
  const rows = await referencesFrom(db, { issueId, commentId })
  return rows.map((row) => ({
    issueId: asId<IssueId>(row.issue_id),
    entryId: row.entry_id,
    action: row.action as KeywordAction,
  }))
}

const referencesFrom = defineQuery((db, { issueId, commentId }: TextId) =>
  db
    .selectFrom('cross_reference')
    .select(['issue_id', 'entry_id', 'action'])
    .where('source_issue_id', '=', issueId)
    .where('source_comment_id', '=', commentId),
)

interface KeywordAuthor {
  readonly authorId: UserId
  /** The restriction of the credentials with which it was written. */
  readonly restriction: CredentialRestriction | undefined
}

export interface KeywordReference extends Pick<CrossReference, 'issueId' | 'action'>, KeywordAuthor {
  /** 0 for title and body. */
  readonly commentId: number
}

/**
 * The issues that the issue and its comments close and reopen, by referenced issue; later comments follow earlier ones.
 */
export async function listKeywordReferences(db: Db, issueId: IssueId): Promise<KeywordReference[]> {
  const rows = await db
    .selectFrom('cross_reference')
    .innerJoin('timeline_entry as entry', 'entry.id', 'cross_reference.entry_id')
    .select(['cross_reference.issue_id', 'source_comment_id', 'action', 'author_id', 'restriction', 'entry.actor_id'])
    .where('source_issue_id', '=', issueId)
    .where('action', '!=', 'none')
    .orderBy('cross_reference.issue_id')
    .orderBy('source_comment_id')
    .execute()
  return rows.map((row) => ({
    issueId: asId(row.issue_id),
    commentId: row.source_comment_id,
    action: row.action as KeywordAction,
    authorId: asId(row.author_id === 0 ? row.actor_id : row.author_id),
    restriction: parseRestriction(row.restriction),
  }))
}

/** Replaces the reference from this text to the same issue. */
export async function putCrossReference(
  tx: Tx,
  { issueId, commentId }: TextId,
  reference: CrossReference & KeywordAuthor,
): Promise<void> {
  await replacement(tx, {
    source_issue_id: issueId,
    source_comment_id: commentId,
    issue_id: reference.issueId,
    entry_id: reference.entryId,
    action: reference.action,
    author_id: reference.authorId,
    restriction: formatRestriction(reference.restriction),
  })
}

const replacement = defineQuery((db, row: Selectable<CrossReferenceTable>) => {
  const { source_issue_id: _, source_comment_id: __, ...values } = row
  return db
    .insertInto('cross_reference')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['source_issue_id', 'source_comment_id', 'issue_id']).doUpdateSet(values),
    )
})

export async function deleteCrossReferences(
  tx: Tx,
  { issueId, commentId }: TextId,
  to: readonly IssueId[],
): Promise<void> {
  if (to.length === 0) return
  await tx
    .deleteFrom('cross_reference')
    .where('source_issue_id', '=', issueId)
    .where('source_comment_id', '=', commentId)
    .where('issue_id', 'in', to)
    .execute()
}
