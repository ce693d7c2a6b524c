import type { Tx } from '../../../../core/db/database.ts'
import type { IssueId, RepoId } from '../../../../core/platform/crypto/ids.ts'
import { foldText } from './fold-text.ts'
import { numberOfPart, type TextPart } from './issue-text.store.ts'

interface ImportedText {
  readonly issueId: IssueId
  readonly repoId: RepoId
  readonly part: TextPart
  readonly content: string
}

/** Rows of one statement: texts are long. */
const CHUNK = 100

/**
 * Indexes the texts of new issues and comments of an import. NOTE: none of them waits for the indexer, because searches
 * scan waiting texts; the texts of a transaction share a part of the full-text index of SQLite anyway.
 */
export async function indexImportedTexts(tx: Tx, texts: readonly ImportedText[]): Promise<void> {
  const rows = texts.flatMap(({ issueId, repoId, part, content }) => {
    const text = foldText(content)
    if (text.trim() === '') return []
    return { issue_id: issueId, repo_id: repoId, part: numberOfPart(part), text, is_indexed: 1 as const }
  })
  for (let start = 0; start < rows.length; start += CHUNK)
    await tx
      .insertInto('issue_text')
      .values(rows.slice(start, start + CHUNK))
      .execute()
}
