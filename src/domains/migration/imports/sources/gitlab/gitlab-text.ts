/** What is added to the numbers of the merge requests of the project with this path. */
interface Renumbering {
  readonly offset: number
  readonly path: string
}

/**
 * A text with the numbers of merge requests moved. `!N` names one of the project, also after the path of the project;
 * not inside a word, another path or an address. Blocks of code and code between backticks stay as they are.
 */
export function renumber(text: string, { offset, path }: Renumbering): string {
  if (offset === 0 || !text.includes('!')) return text
  const reference = new RegExp(String.raw`(?<![\w/.!&?=-])(?:${RegExp.escape(path)})?!(\d{1,10})\b`, 'gi')
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
      return renumberLine(line, (part) => part.replace(reference, (_, number: string) => `!${Number(number) + offset}`))
    })
    .join('\n')
}

/** A span of code ends at the next run of as many backticks as it begins with. */
function renumberLine(line: string, renumbered: (part: string) => string): string {
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
      return open === '' ? renumbered(part) : part
    })
    .join('')
}

/** A scoped label `a::b` is an exclusive label `a/b` here. */
export function labelName(name: string): string {
  const at = name.lastIndexOf('::')
  return at > 0 ? `${name.slice(0, at)}/${name.slice(at + 2)}` : name
}
