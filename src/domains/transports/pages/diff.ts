import { Html, safeHtml } from '../../../core/platform/html.ts'

const MAX_LINES = 20_000

/** A diff as git prints it, one part per file. Added and deleted lines are marked, in a long diff only the first ones. */
export function diffPart(patch: Buffer): Html {
  const parts: Html[] = []
  let left = MAX_LINES
  for (const text of patch.toString('utf8').split(/^(?=diff --git )/m)) {
    if (text === '') continue
    const lines = text.split('\n')
    if (lines.at(-1) === '') lines.pop()
    const start = lines.findIndex((line) => line.startsWith('@@ '))
    const header = start < 0 ? lines : lines.slice(0, start)
    const marked = start < 0 ? [] : lines.slice(start, start + left)
    left = Math.max(0, left - marked.length)
    const rest = start < 0 ? [] : lines.slice(start + marked.length)
    const name = nameOf(header)
    parts.push(safeHtml`<section aria-label="${name}"><h3>${name}</h3>
<pre tabindex="0">${header.slice(1).join('\n')}
${withMarks(marked)}${rest.join('\n')}</pre></section>
`)
  }
  return safeHtml`${parts}`
}

/** The new name of the file, or the old one of a deleted file. */
function nameOf([first = '', ...header]: readonly string[]): string {
  const named = (prefix: string): string | undefined =>
    header.find((line) => line.startsWith(prefix))?.slice(prefix.length)
  return named('+++ b/') ?? named('--- a/') ?? named('rename to ') ?? first.slice('diff --git '.length)
}

const ELEMENTS: Readonly<Record<string, string>> = { '+': 'ins', '-': 'del' }

/** Neighbouring lines of one kind share an element. */
function withMarks(lines: readonly string[]): Html {
  const pieces: string[] = []
  let open: string | undefined
  for (const line of lines) {
    const element = ELEMENTS[line[0] ?? '']
    if (element !== open) {
      if (open !== undefined) pieces.push(`</${open}>`)
      if (element !== undefined) pieces.push(`<${element}>`)
      open = element
    }
    pieces.push(`${safeHtml`${line}`.text}\n`)
  }
  if (open !== undefined) pieces.push(`</${open}>`)
  return new Html(pieces.join(''))
}
