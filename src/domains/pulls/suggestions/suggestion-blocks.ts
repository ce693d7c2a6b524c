import { invalid } from '../../../core/platform/errors.ts'

/** Lines of a file, numbered from 1, inclusive, and their replacement. */
export interface LineEdit {
  readonly first: number
  readonly last: number
  /** The lines without line ends; an empty list deletes the lines. */
  readonly lines: readonly string[]
}

const OPENING = /^( {0,3})(`{3,}|~{3,})[ \t]*suggestion(?:[ \t][^`]*)?$/
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/
const OTHER_OPENING = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/

interface OpenBlock {
  readonly fence: string
  readonly indent: number
  /** Undefined within a block of another kind. */
  readonly lines: string[] | undefined
}

/**
 * The lines of each `suggestion` block of a comment. An unclosed block ends with the comment
 * (behaviour/pull-requests#suggestions).
 */
export function findSuggestions(body: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = []
  let open: OpenBlock | undefined
  for (const line of body.split(/\r?\n/)) {
    if (open === undefined) {
      open = openBlock(line)
      if (open?.lines) found.push(open.lines)
    } else if (closes(line, open.fence)) open = undefined
    else open.lines?.push(withoutIndent(line, open.indent))
  }
  return found
}

function openBlock(line: string): OpenBlock | undefined {
  const [, spaces = '', suggestion] = OPENING.exec(line) ?? []
  if (suggestion !== undefined) return { fence: suggestion, indent: spaces.length, lines: [] }
  const other = OTHER_OPENING.exec(line)?.[1]
  return other === undefined ? undefined : { fence: other, indent: 0, lines: undefined }
}

/** A closing fence is at least as long as the opening one and of the same character. */
const closes = (line: string, fence: string): boolean => FENCE.exec(line)?.[1]!.startsWith(fence) ?? false

/** Removes the indentation of the block from its lines. */
function withoutIndent(line: string, indent: number): string {
  let at = 0
  while (at < indent && line[at] === ' ') at++
  return line.slice(at)
}

const NEW_LINE = 0x0a
const RETURN = 0x0d

/**
 * Replaces lines of a file. New lines get the line end, CRLF or LF, of the replaced lines; a missing line end of the
 * last line stays missing. Other bytes are unchanged, whatever their encoding. Throws Invalid when lines overlap or are
 * not in the file (behaviour/pull-requests#suggestions).
 */
export function applySuggestions(content: Buffer, edits: readonly LineEdit[]): Buffer {
  const ordered = edits.toSorted((a, b) => a.first - b.first)
  const parts: Buffer[] = []
  let at = 0
  let line = 1
  for (const { first, last, lines } of ordered) {
    if (first < line)
      throw invalid(first < 1 ? 'a line number is not positive' : `suggestions overlap at line ${first}`)
    if (last < first) throw invalid(`line ${last} is before line ${first}`)
    const start = skipLines(content, at, first - line)
    const end = skipLines(content, start, last - first + 1)
    if (start === undefined || end === undefined) throw invalid(`the file has no line ${last}`)
    parts.push(content.subarray(at, start), replacement(content.subarray(start, end), lines))
    at = end
    line = last + 1
  }
  return Buffer.concat([...parts, content.subarray(at)])
}

/** The offset after `count` lines; undefined when there are fewer. The last line may lack its line end. */
function skipLines(content: Buffer, from: number | undefined, count: number): number | undefined {
  let at = from
  for (let left = count; left > 0 && at !== undefined; left--) {
    const end = content.indexOf(NEW_LINE, at)
    if (end !== -1) at = end + 1
    else at = at < content.length ? content.length : undefined
  }
  return at
}

/** The lines with the line end of the first replaced one; the last has none if the replaced text has none. */
function replacement(replaced: Buffer, lines: readonly string[]): Buffer {
  if (lines.length === 0) return Buffer.alloc(0)
  const firstEnd = replaced.indexOf(NEW_LINE)
  const lineEnd = firstEnd > 0 && replaced[firstEnd - 1] === RETURN ? '\r\n' : '\n'
  const text = lines.join(lineEnd)
  return Buffer.from(replaced.at(-1) === NEW_LINE ? text + lineEnd : text)
}
