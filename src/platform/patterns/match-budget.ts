/** What one request may spend on patterns that others wrote. */
export interface MatchBudget {
  /** False when nothing is left to try the pattern on the text. */
  spend(pattern: string, text: string): boolean
  /** True when something was refused: nothing will be taken any more. */
  isSpent(): boolean
}

/** Longer ones are none that people write. */
export const MAX_PATTERN_LENGTH = 1024

/** Some tenths of a second. */
export const MAX_MATCHING = 1_500_000
/** Reading a pattern costs about as much as following forty characters. */
const READING = 40

/**
 * NOTE: matching is linear in the text (see compileGlob), but every wildcard of a pattern may be another way to follow,
 * and there may be thousands of patterns.
 */
export function createMatchBudget(max = MAX_MATCHING): MatchBudget {
  let left = max
  return {
    spend(pattern, text) {
      left -= READING + pattern.length + (1 + wildcards(pattern)) * text.length
      return left >= 0
    },
    isSpent: () => left < 0,
  }
}

function wildcards(pattern: string): number {
  let count = 0
  for (const char of pattern) if (char === '*' || char === '{' || char === ',') count++
  return count
}
