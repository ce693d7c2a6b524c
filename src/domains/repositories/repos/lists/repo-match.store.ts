import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { Schema } from '../../../../core/db/schema.ts'
import { containing, containingExactly } from '../../../../core/db/text-match.ts'

/** The text conditions of a search; a repository matches if one word does. */
export interface RepoKeywords {
  readonly words: readonly string[]
  /** Whether words must equal topics; nothing else is searched. */
  readonly onlyTopics: boolean
  readonly descriptions: boolean
  /** Owner in a search for `owner/name`: both parts must match too; the owner with exactly this name sorts first. */
  readonly ownerName?: string | undefined
  readonly repoName?: string | undefined
}

type Builder = ExpressionBuilder<Schema & { owner: Schema['user'] }, 'repo' | 'owner'>

export function matchesKeywords(
  eb: Builder,
  { words, onlyTopics, descriptions, ownerName, repoName }: RepoKeywords,
): Expression<SqlBool> {
  const topics = eb.fn<string>('lower', ['repo.topics'])
  const matches = words.flatMap((word) => {
    if (onlyTopics) return isTopicText(word) ? [containing(topics, `"${word}"`)] : []
    return [
      containing(eb.ref('repo.lower_name'), word),
      ...(isTopicText(word) ? [eb.and([eb('repo.topics', '!=', '[]'), containing(topics, word)])] : []),
      ...(descriptions
        ? [
            containing(eb.fn<string>('lower', ['repo.description']), word),
            containingExactly(eb.ref('repo.description'), word),
          ]
        : []),
    ]
  })
  if (ownerName !== undefined && repoName !== undefined && !onlyTopics) {
    matches.push(
      eb.and([containing(eb.ref('owner.lower_name'), ownerName), containing(eb.ref('repo.lower_name'), repoName)]),
    )
  }
  return eb.or(matches)
}

/** NOTE: topics are stored as a JSON array; a word with JSON punctuation would match across topics. */
const isTopicText = (word: string): boolean => !/["[\]\\,]/.test(word)
