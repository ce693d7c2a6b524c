/**
 * Without the characters of `characters` at its end. NOTE: an expression such as `/-+$/` starts at every character of a
 * long run that is not at the end and so takes quadratic time.
 */
export function trimEndOf(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** The text without the characters of `characters` at both ends, in linear time. */
export function trimOf(text: string, characters: string): string {
  let begin = 0
  while (begin < text.length && characters.includes(text[begin]!)) begin++
  return trimEndOf(text.slice(begin), characters)
}
