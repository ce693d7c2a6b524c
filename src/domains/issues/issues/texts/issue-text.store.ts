import { type Selectable, sql } from 'kysely'
import { type Db, dialectOf, type Tx } from '../../../../core/db/database.ts'
import { flag } from '../../../../core/db/flag.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import type { IssueId } from '../../../../core/platform/crypto/ids.ts'
import type { Issue } from '../records/issue.store.ts'
import { foldText } from './fold-text.ts'
import type { IssueTextTable } from '../issues.table.ts'

/** The title, the body, or the id of the entry of a comment or review. */
export type TextPart = 'title' | 'body' | number

const NUMBERS = { title: -1, body: 0 } as const
export const numberOfPart = (part: TextPart): number => (typeof part === 'number' ? part : NUMBERS[part])

/**
 * Replaces a text of the issue in searches (behaviour/issues#listing-and-search). Call in the transaction that writes
 * the title, the body or a comment, or that submits a review.
 */
export async function indexText(
  tx: Tx,
  { id, repoId }: Pick<Issue, 'id' | 'repoId'>,
  part: TextPart,
  content: string,
): Promise<void> {
  const text = foldText(content)
  if (text.trim() === '') return deleteText(tx, id, part)
  const isIndexed = isIndexedAtOnce(tx, text)
  await upsert(tx, {
    issue_id: id,
    part: numberOfPart(part),
    repo_id: repoId,
    text,
    is_indexed: isIndexed,
  })
}

/** The maximum length, in characters, of a text that waits for a batch; limits the work of searches and batches. */
const MAX_WAITING = 8192

const isIndexedAtOnce = (tx: Tx, text: string): 0 | 1 =>
  flag(dialectOf(tx).name === 'postgres' || text.length > MAX_WAITING)

const upsert = defineQuery((db, row: Omit<Selectable<IssueTextTable>, 'id'>) =>
  db
    .insertInto('issue_text')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['issue_id', 'part'])
        .doUpdateSet({ text: row.text, repo_id: row.repo_id, is_indexed: row.is_indexed }),
    ),
)

/** Indexes title and body of a new issue. */
export const indexOwnTexts = (tx: Tx, issue: Pick<Issue, 'body' | 'id' | 'repoId' | 'title'>): Promise<void> =>
  insertTexts(tx, issue, [
    ['title', issue.title],
    ['body', issue.body],
  ])

/** Like `indexText`, for a comment that the transaction inserted. */
export const indexNewText = (tx: Tx, issue: Pick<Issue, 'id' | 'repoId'>, commentId: number, content: string) =>
  insertTexts(tx, issue, [[commentId, content]])

async function insertTexts(
  tx: Tx,
  { id, repoId }: Pick<Issue, 'id' | 'repoId'>,
  contents: readonly (readonly [part: TextPart, content: string])[],
): Promise<void> {
  const folded = contents.map(([part, content]) => ({ part: numberOfPart(part), text: foldText(content) }))
  const rows = folded.filter(({ text }) => text.trim() !== '')
  if (rows.length === 0) return
  const parts = rows.map(({ part }) => part)
  const texts = rows.map(({ text }) => text)
  const areIndexed = texts.map((text) => isIndexedAtOnce(tx, text))
  await insertion(tx, { issue_id: id, repo_id: repoId, parts, texts, areIndexed })
}

interface NewTexts extends Pick<Selectable<IssueTextTable>, 'issue_id' | 'repo_id'> {
  readonly parts: readonly number[]
  readonly texts: readonly string[]
  readonly areIndexed: readonly (0 | 1)[]
}

const insertion = defineQuery((db, { parts, texts, areIndexed, ...of }: NewTexts) =>
  db
    .insertInto('issue_text')
    .values(parts.map((part, at) => ({ ...of, part, text: texts[at]!, is_indexed: areIndexed[at]! }))),
)

/** Indexes title and body if they differ from those of `issue`, the issue before the change. */
export async function indexChangedTexts(
  tx: Tx,
  issue: Issue,
  { title, body }: Pick<Issue, 'title' | 'body'>,
): Promise<void> {
  if (title !== issue.title) await indexText(tx, issue, 'title', title)
  if (body !== issue.body) await indexText(tx, issue, 'body', body)
}

/** Not needed after deleting an issue, whose foreign key deletes its texts. */
export async function deleteText(tx: Tx, issueId: IssueId, part: TextPart): Promise<void> {
  await tx.deleteFrom('issue_text').where('issue_id', '=', issueId).where('part', '=', numberOfPart(part)).execute()
}

/** Whether there are texts to index. */
export const haveWaiting = async (db: Db): Promise<boolean> => (await listWaiting(db, 1)).length > 0

const listWaiting = (db: Db, limit: number) =>
  db
    .selectFrom('issue_text')
    .select(['id', sql<number>`length(text)`.as('length')])
    // NOTE: must equal the condition of the index.
    .where(sql<boolean>`is_indexed = 0`)
    .orderBy('id')
    .limit(limit)
    .execute()

export interface Indexed {
  readonly count: number
  /** Whether more texts are waiting. */
  readonly isMore: boolean
}

/** Indexes the oldest waiting texts: at most `limit` of them, with at most `length` characters in total. */
export async function indexWaiting(tx: Tx, { limit, length }: { limit: number; length: number }): Promise<Indexed> {
  let total = 0
  const waiting = await listWaiting(tx, limit)
  const ids = waiting.filter((text) => (total += text.length) <= length).map(({ id }) => id)
  // NOTE: one SQL text for any number of ids.
  const some = sql<number>`(select value from json_each(${JSON.stringify(ids)}))`
  if (ids.length > 0) await tx.updateTable('issue_text').set({ is_indexed: 1 }).where('id', 'in', some).execute()
  return { count: ids.length, isMore: waiting.length === limit || ids.length < waiting.length }
}

/**
 * Merges parts of the full-text index: writes at most about `pages` pages. Returns false when there is nothing to merge
 * (https://sqlite.org/fts5.html#the_merge_command).
 */
export async function mergeIndexParts(tx: Tx, pages: number): Promise<boolean> {
  const changes = async (): Promise<number> =>
    (await sql<{ changes: number }>`select total_changes() as changes`.execute(tx)).rows[0]!.changes
  // NOTE: otherwise the merge would write the texts of this transaction first, and they would count as merged.
  await sql`insert into issue_text_index (issue_text_index) values ('flush')`.execute(tx)
  const before = await changes()
  await sql`insert into issue_text_index (issue_text_index, rank) values ('merge', ${sql.lit(pages)})`.execute(tx)
  return (await changes()) - before >= 2
}
