import { trimEndOf } from '../../../../core/platform/trim.ts'

/** A block quote, or a list item whose content begins at `indent`. */
type Container = { readonly kind: 'quote' } | { readonly kind: 'item'; readonly indent: number }

/** A block whose lines are not prose: fenced code, or HTML until the line that ends it. */
interface Verbatim {
  /** The number of enclosing containers. */
  readonly depth: number
  isEnd(line: string): boolean
  /** A blank line ends it. */
  readonly endsAtBlank?: boolean
}

/** NOTE: every line is compared with every open container, so their depth is limited. */
const MAX_DEPTH = 20
const TAB = 4

/**
 * The texts of the paragraphs, headings and table rows of a Markdown document, without code blocks, HTML blocks and
 * link definitions: the inline text of the renderer. Runs in linear time.
 */
export function proseBlocks(text: string): string[] {
  const scanner = new BlockScanner()
  for (const line of text.split('\n')) scanner.read(line.endsWith('\r') ? line.slice(0, -1) : line)
  return scanner.finish()
}

class BlockScanner {
  readonly #blocks: string[] = []
  #containers: Container[] = []
  #paragraph: string[] = []
  #verbatim: Verbatim | undefined

  read(source: string): void {
    let line = expandTabs(source)
    let matched = 0
    for (const container of this.#containers) {
      const rest = enter(container, line)
      if (rest === undefined) break
      line = rest
      matched++
    }
    if (this.#verbatim !== undefined && matched >= this.#verbatim.depth) return this.#readVerbatim(line)
    this.#verbatim = undefined
    const isLazy = matched < this.#containers.length && this.#paragraph.length > 0 && isPlain(line)
    if (!isLazy && matched < this.#containers.length) {
      this.#flush()
      this.#containers = this.#containers.slice(0, matched)
    }
    this.#readContent(isLazy ? line : this.#openContainers(line))
  }

  finish(): string[] {
    this.#flush()
    return this.#blocks
  }

  #readVerbatim(line: string): void {
    const { isEnd, endsAtBlank } = this.#verbatim!
    if (endsAtBlank === true ? line.trim() === '' : isEnd(line)) this.#verbatim = undefined
  }

  /** Opens the quotes and list items that begin in the line; returns the rest after their markers. */
  #openContainers(line: string): string {
    let rest = line
    while (this.#containers.length < MAX_DEPTH) {
      const opened = openContainer(rest, this.#paragraph.length > 0)
      if (opened === undefined) return rest
      this.#flush()
      this.#containers.push(opened.container)
      rest = opened.rest
    }
    return rest
  }

  #readContent(line: string): void {
    const trimmed = line.trim()
    if (trimmed === '') return this.#flush()
    const inParagraph = this.#paragraph.length > 0
    if (indentOf(line) >= TAB) {
      // Indented code, unless it continues a paragraph.
      if (inParagraph) this.#paragraph.push(trimmed)
      return
    }
    const verbatim = fenceOf(trimmed, this.#containers.length) ?? htmlOf(trimmed, this.#containers.length, inParagraph)
    if (verbatim !== undefined) {
      this.#flush()
      if (verbatim.endsAtBlank === true || !verbatim.endsHere) this.#verbatim = verbatim
      return
    }
    if (isRule(trimmed)) return this.#flush()
    const heading = /^#{1,6}(?:[ \t]+|$)/.exec(trimmed)
    if (heading !== null) {
      this.#flush()
      this.#blocks.push(trimEndOf(trimmed.slice(heading[0].length), '#'))
      return
    }
    if (!inParagraph && /^\[[^\]]{1,999}\]:/.test(trimmed)) return
    this.#paragraph.push(trimmed)
  }

  #flush(): void {
    if (this.#paragraph.length > 0) this.#blocks.push(this.#paragraph.join('\n'))
    this.#paragraph = []
  }
}

const indentOf = (line: string): number => line.length - line.trimStart().length

/** Replaces leading tabs by spaces; only they affect block structure. */
function expandTabs(line: string): string {
  const end = indentOf(line)
  if (!line.slice(0, end).includes('\t')) return line
  let column = 0
  for (const character of line.slice(0, end)) column += character === '\t' ? TAB - (column % TAB) : 1
  return ' '.repeat(column) + line.slice(end)
}

/** The line within the container; undefined when it is outside. */
function enter(container: Container, line: string): string | undefined {
  if (container.kind === 'quote') {
    const marker = /^ {0,3}> ?/.exec(line)
    return marker === null ? undefined : line.slice(marker[0].length)
  }
  if (line.trim() === '') return line
  return indentOf(line) >= container.indent ? line.slice(container.indent) : undefined
}

interface Opened {
  readonly container: Container
  readonly rest: string
}

function openContainer(line: string, inParagraph: boolean): Opened | undefined {
  const quoted = enter({ kind: 'quote' }, line)
  if (quoted !== undefined) return { container: { kind: 'quote' }, rest: quoted }
  if (isRule(line.trim())) return undefined
  const item = /^( {0,3}(?:[-+*]|(\d{1,9})[.)]))( {1,4}(?! )| |$)/.exec(line)
  if (item === null) return undefined
  const [marker, head, number] = item
  const rest = line.slice(marker.length)
  if (inParagraph && (rest.trim() === '' || (number !== undefined && Number(number) !== 1))) return undefined
  return { container: { kind: 'item', indent: Math.max(marker.length, head!.length + 1) }, rest }
}

/** A line of hyphens, asterisks or underlines, or one below a heading. */
const isRule = (trimmed: string): boolean => /^(?:=+|-+|(?:[-_*][ \t]*){3,})$/.test(trimmed) && isOneMark(trimmed)

const isOneMark = (trimmed: string): boolean =>
  [...trimmed].every((character) => character === trimmed[0] || character === ' ' || character === '\t')

/** Whether the line continues a paragraph although it is outside of its containers. */
const isPlain = (line: string): boolean => {
  const trimmed = line.trim()
  return (
    trimmed !== '' &&
    openContainer(line, true) === undefined &&
    fenceOf(trimmed, 0) === undefined &&
    htmlOf(trimmed, 0, true) === undefined &&
    !isRule(trimmed) &&
    !/^#{1,6}(?:[ \t]|$)/.test(trimmed)
  )
}

function fenceOf(trimmed: string, depth: number): (Verbatim & { readonly endsHere: boolean }) | undefined {
  const [, fence] = /^(`{3,}(?=[^`]*$)|~{3,})/.exec(trimmed) ?? []
  if (fence === undefined) return undefined
  const isEnd = (line: string): boolean => {
    const end = line.trim()
    return end.length >= fence.length && indentOf(line) < TAB && end === fence[0]!.repeat(end.length)
  }
  return { depth, isEnd, endsHere: false }
}

const BLOCK_TAG =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:\s|\/?>|$)/i
const ANY_TAG = /^(?:<[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>|<\/[a-z][a-z0-9-]*\s*>)\s*$/i

/** Patterns of the start of an HTML block and of the line that ends it. */
const ENDED_BY: readonly (readonly [RegExp, RegExp])[] = [
  [/^<(?:script|pre|style|textarea)(?:\s|>|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<![a-z]/i, />/],
  [/^<!\[CDATA\[/, /\]\]>/],
]

function htmlOf(
  trimmed: string,
  depth: number,
  inParagraph: boolean,
): (Verbatim & { readonly endsHere: boolean }) | undefined {
  if (!trimmed.startsWith('<')) return undefined
  for (const [begin, end] of ENDED_BY)
    if (begin.test(trimmed)) return { depth, isEnd: (line) => end.test(line), endsHere: end.test(trimmed) }
  if (!BLOCK_TAG.test(trimmed) && (inParagraph || !ANY_TAG.test(trimmed))) return undefined
  return { depth, isEnd: () => false, endsAtBlank: true, endsHere: false }
}
