/** A text of Markdown, changed outside blocks of code and code between backticks. */
export function outsideCode(text: string, change: (part: string) => string): string {
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
      return changeLine(line, change)
    })
    .join('\n')
}

/** A span of code ends at the next run of as many backticks as it begins with. */
function changeLine(line: string, change: (part: string) => string): string {
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
      return open === '' ? change(part) : part
    })
    .join('')
}
