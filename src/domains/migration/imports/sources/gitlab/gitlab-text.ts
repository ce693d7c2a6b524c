/** `!N` of GitLab names a merge request; not inside a word, a path or an address. */
const REFERENCE = /(?<![\w/.!&?=-])!(\d{1,10})\b/g

/**
 * A text with the numbers of merge requests moved by `offset`. Blocks of code and code between backticks stay as they
 * are.
 */
export function renumber(text: string, offset: number): string {
  if (offset === 0 || !text.includes('!')) return text
  let fence = ''
  return text
    .split('\n')
    .map((line) => {
      const [, mark = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
      if (fence !== '') {
        if (mark !== '' && mark.startsWith(fence) && line.trim() === mark) fence = ''
        return line
      }
      if (mark !== '') {
        fence = mark
        return line
      }
      return renumberLine(line, offset)
    })
    .join('\n')
}

/** A span of code ends at the next run of as many backticks as it begins with. */
function renumberLine(line: string, offset: number): string {
  if (!line.includes('!')) return line
  const parts = line.split(/(`+)/)
  const last = new Map<string, number>()
  for (const [index, part] of parts.entries()) if (index % 2 === 1) last.set(part, index)
  let open = ''
  return parts
    .map((part, index) => {
      if (index % 2 === 1) {
        if (open === '' && last.get(part)! > index) open = part
        else if (open === part) open = ''
        return part
      }
      return open === '' ? part.replace(REFERENCE, (_, number: string) => `!${Number(number) + offset}`) : part
    })
    .join('')
}

/** A scoped label `a::b` is an exclusive label `a/b` here. */
export function labelName(name: string): string {
  const at = name.lastIndexOf('::')
  return at > 0 ? `${name.slice(0, at)}/${name.slice(at + 2)}` : name
}
