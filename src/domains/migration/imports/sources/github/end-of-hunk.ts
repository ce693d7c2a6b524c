/**
 * The place of the last line of a hunk, which is the one that a comment is about. Old servers give no other place but
 * a line of the diff.
 */
export function endOfHunk(hunk: string): { readonly side: 'old' | 'new'; readonly line: number } {
  const [header = '', ...lines] = hunk.split('\n')
  const [, oldStart, newStart] = /^@@ -(\d{1,9})(?:,\d{1,9})? \+(\d{1,9})(?:,\d{1,9})? @@/.exec(header) ?? []
  if (oldStart === undefined) return { side: 'new', line: 1 }
  let [oldLine, newLine, last] = [Number(oldStart) - 1, Number(newStart) - 1, '']
  for (const line of lines) {
    const [sign = ' '] = line
    if (sign === '\\') continue
    if (sign !== '+') oldLine++
    if (sign !== '-') newLine++
    last = sign
  }
  return last === '-' ? { side: 'old', line: Math.max(1, oldLine) } : { side: 'new', line: Math.max(1, newLine) }
}
