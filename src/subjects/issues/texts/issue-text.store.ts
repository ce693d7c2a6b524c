import type { Selectable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { runKept } from '../../../db/kept-statement.ts'
import type { IssueId } from '../../../platform/crypto/ids.ts'
import type { Issue } from '../records/issue.store.ts'
import { foldText } from './fold-text.ts'
import type { IssueTextTable } from './issue-text.table.ts'

/** The title, the body, or the id of the entry of a comment or review. */
export type TextPart = 'title' | 'body' | number

const NUMBERS = { title: -1, body: 0 } as const
const numberOf = (part: TextPart): number => (typeof part === 'number' ? part : NUMBERS[part])

/**
 * Makes a text of the issue the one that searches look at (behaviour/issues#listing-and-search). Belongs in the
 * transaction that writes the title, the body or a comment, and that submits a review.
 */
export async function indexText(
  tx: Tx,
  { id, repoId }: Pick<Issue, 'id' | 'repoId'>,
  part: TextPart,
  content: string,
): Promise<void> {
  const text = foldText(content)
  if (text.trim() === '') return deleteText(tx, id, part)
  await runKept(tx, upsert, { issue_id: id, part: numberOf(part), repo_id: repoId, text })
}

const upsert = (db: Db, row: Omit<Selectable<IssueTextTable>, 'id'>) =>
  db
    .insertInto('issue_text')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['issue_id', 'part']).doUpdateSet({ text: row.text, repo_id: row.repo_id }),
    )

/** Indexes title and body of a new issue. */
export const indexOwnTexts = (tx: Tx, issue: Pick<Issue, 'body' | 'id' | 'repoId' | 'title'>): Promise<void> =>
  insertTexts(tx, issue, [
    ['title', issue.title],
    ['body', issue.body],
  ])

/** As indexText, for a comment that the transaction inserted. */
export const indexNewText = (tx: Tx, issue: Pick<Issue, 'id' | 'repoId'>, commentId: number, content: string) =>
  insertTexts(tx, issue, [[commentId, content]])

async function insertTexts(
  tx: Tx,
  { id, repoId }: Pick<Issue, 'id' | 'repoId'>,
  contents: readonly (readonly [part: TextPart, content: string])[],
): Promise<void> {
  const folded = contents.map(([part, content]) => ({ part: numberOf(part), text: foldText(content) }))
  const rows = folded.filter(({ text }) => text.trim() !== '')
  if (rows.length === 0) return
  const values = { parts: rows.map(({ part }) => part), texts: rows.map(({ text }) => text) }
  await runKept(tx, insertion, { issue_id: id, repo_id: repoId, ...values })
}

interface NewTexts extends Pick<Selectable<IssueTextTable>, 'issue_id' | 'repo_id'> {
  readonly parts: readonly number[]
  readonly texts: readonly string[]
}

const insertion = (db: Db, { parts, texts, ...of }: NewTexts) =>
  db.insertInto('issue_text').values(parts.map((part, at) => ({ ...of, part, text: texts[at]! })))

/** Indexes those of title and body that differ from the ones of `issue`, which is as it was before. */
export async function indexChangedTexts(
  tx: Tx,
  issue: Issue,
  { title, body }: Pick<Issue, 'title' | 'body'>,
): Promise<void> {
  if (title !== issue.title) await indexText(tx, issue, 'title', title)
  if (body !== issue.body) await indexText(tx, issue, 'body', body)
}

/** Deleting an issue deletes its texts by the foreign key. */
export async function deleteText(tx: Tx, issueId: IssueId, part: TextPart): Promise<void> {
  await tx.deleteFrom('issue_text').where('issue_id', '=', issueId).where('part', '=', numberOf(part)).execute()
}
