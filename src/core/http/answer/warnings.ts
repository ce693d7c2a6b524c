import type { Answer } from './answer.ts'

const MAX_LENGTH = 2000
const MAX_NAMED = 20

/** The answer with headers that name what of the request was not done, for clients that show them to a person. */
export function withWarnings(answer: Answer, warnings: readonly string[]): Answer {
  if (warnings.length === 0) return answer
  const text = warnings
    .join('; ')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_LENGTH)
  return { ...answer, headers: { ...answer.headers, 'x-ingot-warning': text, 'x-gitea-warning': text } }
}

/**
 * The warning of a member whose values are words of a list; none where all are known. For members whose unknown words
 * clients expect to be accepted.
 */
export function unknownWords(
  member: string,
  words: readonly string[],
  isKnown: (word: string) => boolean,
): readonly string[] {
  const unknown = words.filter((word) => word !== '' && !isKnown(word)).slice(0, MAX_NAMED)
  return unknown.length === 0 ? [] : [`${member}: unknown and ignored: ${unknown.join(', ')}`]
}
