/** Maximum length of a pattern; real patterns are much shorter. */
export const MAX_PATTERN_LENGTH = 1024

/** A unit takes at most some ten millionths of a second, so that this is well below 100 ms. */
export const MAX_MATCHING = 300_000
/** Units to compile a pattern, and further ones for each of its characters. */
const COMPILING = 100
const COMPILING_CHARACTER = 4
/** Units to follow one character of the text, and one more for 32 characters of the pattern. */
const FOLLOWING = 4

/** The time that one request may spend on patterns of users without a pause. */
export type MatchBudget = ReturnType<typeof createMatchBudget>

/** NOTE: matching is linear in the text (see compileGlob), but there may be thousands of patterns. */
export function createMatchBudget(max = MAX_MATCHING) {
  let left = max
  return {
    /**
     * False when the budget does not suffice to compile the pattern, unless it is compiled, and to match it with the
     * text.
     */
    spend(pattern: string, text: string, isCompiled: boolean = false): boolean {
      if (!isCompiled) left -= COMPILING + COMPILING_CHARACTER * pattern.length
      left -= (FOLLOWING + Math.ceil(pattern.length / 32)) * text.length
      return left >= 0
    },
    /** True when the budget is exhausted: nothing is accepted from then on. */
    isSpent: (): boolean => left < 0,
  }
}
