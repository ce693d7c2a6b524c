import { sql, type RawBuilder } from 'kysely'
import type { DatabaseDialect } from '../../../../core/db/dialect/dialect.ts'
import { containingExactly } from '../../../../core/db/text-match.ts'
import type { TextQuery } from '../lists/issue-filter.ts'

export interface SearchedTexts {
  readonly query: TextQuery
  /** Undefined for all repositories. */
  readonly repoId: number | undefined
  readonly dialect: DatabaseDialect['name']
}

/**
 * The column `issue_id` of the issues that have the number or a text that contains all words, without duplicates
 * (behaviour/issues#listing-and-search).
 */
export function matchingTexts({ query: { words, number }, repoId, dialect }: SearchedTexts): RawBuilder<unknown> {
  const grams = dialect === 'sqlite' ? gramsOf(words) : []
  const inText = sql.join(
    words.map((word) => containingExactly(sql<string>`issue_text.text`, word)),
    sql` and `,
  )
  const texts =
    grams.length === 0
      ? sql`select issue_text.issue_id from issue_text where ${inText}${repoId === undefined ? sql`` : sql` and issue_text.repo_id = ${repoId}`}`
      : sql`select issue_text.issue_id from issue_text_index cross join issue_text
          where issue_text.id = (issue_text_index.rowid & 4294967295) and issue_text_index match ${grams.join(' AND ')}
          ${repoId === undefined ? sql`` : ofRepo(repoId)} and ${inText}
        union all select issue_text.issue_id from issue_text
          where issue_text.is_indexed = 0 ${repoId === undefined ? sql`` : sql`and +issue_text.repo_id = ${repoId}`} and ${inText}`
  if (number === undefined) return sql`select distinct issue_id from (${texts}) as matching`
  return sql`${texts} union ${numbered(number, repoId)}`
}

/** NOTE: the upper half of the row ids is the repository, see migrations/baseline/issues.ts. */
const ofRepo = (repoId: number): RawBuilder<unknown> =>
  sql`and issue_text_index.rowid > (${repoId} << 32) and issue_text_index.rowid < ((${repoId} + 1) << 32)`

const numbered = (number: number, repoId: number | undefined): RawBuilder<unknown> =>
  repoId === undefined
    ? sql`select issue.id from repo cross join issue where issue.repo_id = repo.id and issue.number = ${number}`
    : sql`select issue.id from issue where issue.repo_id = ${repoId} and issue.number = ${number}`

const GRAM = 3
const MAX_GRAMS = 32

/**
 * Quoted trigrams that cover the words of three characters and more. The index finds texts that contain all of them,
 * which may still lack the words.
 */
function gramsOf(words: readonly string[]): string[] {
  const grams = words.flatMap((word) => {
    const characters = [...word]
    const last = characters.length - GRAM
    const starts = Array.from({ length: Math.max(0, Math.ceil(last / GRAM)) }, (_, i) => i * GRAM)
    return last < 0 ? [] : [...starts, last].map((at) => characters.slice(at, at + GRAM).join(''))
  })
  return [...new Set(grams)].slice(0, MAX_GRAMS).map((gram) => `"${gram.replaceAll('"', '""')}"`)
}
