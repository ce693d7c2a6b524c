/** Returns the syntax error of a glob over branch names, if any: brackets and braces must be closed. */
export function branchFilterProblem(filter: string): string | undefined {
  const chars = [...filter]
  let braces = 0
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]
    if (char === '\\') {
      if (++at >= chars.length) return 'nothing after the escape'
    } else if (char === '[') {
      at = chars.indexOf(']', at + 2)
      if (at < 0) return 'unterminated character class'
    } else if (char === '{') braces++
    else if (char === '}' && --braces < 0) return 'closing brace without an opening one'
  }
  return braces === 0 ? undefined : 'unterminated alternatives'
}
