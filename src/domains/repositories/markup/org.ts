import { escapeHtml } from '../../../core/platform/html.ts'
import { slug, type MarkupContext, resolveLink } from './block-rules.ts'
import { renderCodeBlock, isImage } from './inline-rules.ts'

const EMPHASIS: Readonly<Record<string, string>> = { '*': 'strong', '/': 'em', _: 'ins', '+': 'del' }

/** NOTE: pieces are bounded, so that a line of openings without an end is parsed in linear time. */
const PIECE = new RegExp(
  [
    String.raw`\[\[(?<target>[^\]\n]{1,1000})\](?:\[(?<text>[^\]\n]{1,1000})\])?\]`,
    String.raw`\[fn:(?<note>[\w-]{1,50})\]`,
    String.raw`(?<url>https?:\/\/[^\s<>"[\]]{0,1000}[^\s<>"[\].,;:!?)'])`,
    String.raw`(?<![\w])(?<mark>[*\/_+=~])(?<inner>[^\s](?:[^\n]{0,500}?[^\s])??)\k<mark>(?![\w])`,
    String.raw`(?<break>\\\\)(?=\n|$)`,
  ].join('|'),
  'g',
)

/** The HTML of running text: emphasis, code, links, footnote marks. */
function renderOrgText(text: string, context: MarkupContext): string {
  let html = ''
  let at = 0
  for (const match of text.matchAll(PIECE)) {
    html += escapeHtml(text.slice(at, match.index)) + piece(match, context)
    at = match.index + match[0].length
  }
  return html + escapeHtml(text.slice(at))
}

function piece({ groups = {} }: RegExpMatchArray, context: MarkupContext): string {
  const { target, text, note, url, mark, inner = '' } = groups
  if (target !== undefined) return link(target, text, context)
  if (note !== undefined)
    return `<sup id="fnref:user-content-${note}" ${context.own}><a href="#fn:user-content-${note}" ${context.own}>${note}</a></sup>`
  if (url !== undefined) return `<a href="${escapeHtml(url)}" ${context.own}>${escapeHtml(url)}</a>`
  if (mark === undefined) return '<br/>'
  const element = EMPHASIS[mark]
  return element === undefined
    ? `<code>${escapeHtml(inner)}</code>`
    : `<${element}>${renderOrgText(inner, context)}</${element}>`
}

/** Org writes paths as `file:` and links to headings with `*`. */
function link(target: string, text: string | undefined, context: MarkupContext): string {
  const path = target.replace(/^file:/, '').replace(/^\*/, '#')
  const label = text ?? target
  if (isImage(label)) {
    const image = `<img src="${escapeHtml(resolveLink(label.replace(/^file:/, ''), context.imageBase))}" alt="${escapeHtml(label.replace(/^file:/, ''))}" loading="lazy" ${context.own}/>`
    return text === undefined
      ? image
      : `<a href="${escapeHtml(resolveLink(path, context.linkBase))}" ${context.own}>${image}</a>`
  }
  return `<a href="${escapeHtml(resolveLink(path, context.linkBase))}" ${context.own}>${text === undefined ? escapeHtml(target) : renderOrgText(text, context)}</a>`
}

const BEGIN = /^\s*#\+begin_(\w+)(?:\s+(.*))?$/i
const ITEM = /^(\s*)(?:([-+]|\s\*)|(\d{1,9})[.)])(?:\s+|$)(.*)$/
const CHECKBOX = /^\[([ xX-])\]\s+/
const MAX_DEPTH = 20

/** The HTML of a block and the number of the line after it. */
type Block = readonly [html: string, next: number]
type Reader = (lines: readonly string[], at: number, context: MarkupContext, depth: number) => Block | undefined

/**
 * Org markup: headings, text, lists, tables, blocks, links and footnotes. Syntax for exports and agendas is ignored.
 */
export function renderOrg(text: string, context: MarkupContext): string {
  return blocks(text.replaceAll('\r\n', '\n').split('\n'), context, 0)
}

function blocks(lines: readonly string[], context: MarkupContext, depth: number): string {
  let html = ''
  for (let at = 0; at < lines.length;) {
    const [part, next] = read(lines, at, context, depth)
    html += part
    at = next
  }
  return html
}

function read(lines: readonly string[], at: number, context: MarkupContext, depth: number): Block {
  if (lines[at]!.trim() === '') return ['', at + 1]
  for (const reader of READERS) {
    const block = reader(lines, at, context, depth)
    if (block !== undefined) return block
  }
  return paragraph(lines, at, context)
}

const heading: Reader = (lines, at, context) => {
  const [, stars, title] = /^(\*{1,50})\s+(.*)$/.exec(lines[at]!) ?? []
  if (stars === undefined || title === undefined) return undefined
  const level = Math.min(6, stars.length)
  return [
    `<h${level} id="user-content-${escapeHtml(slug(title))}" ${context.own}>${renderOrgText(title, context)}</h${level}>\n`,
    at + 1,
  ]
}

/** `#+TITLE:` becomes a heading; other keywords and comments are omitted. */
const keyword: Reader = (lines, at, context) => {
  const line = lines[at]!
  const title = /^\s*#\+title:\s*(.*)$/i.exec(line)?.[1]
  if (title !== undefined) return [`<h1>${renderOrgText(title, context)}</h1>\n`, at + 1]
  return /^\s*#(?:\s|$|\+\w[\w-]*:)/.test(line) ? ['', at + 1] : undefined
}

const drawer: Reader = (lines, at) => {
  if (!/^\s*:[\w-]+:\s*$/.test(lines[at]!)) return undefined
  const end = findEnd(lines, ':end:', at)
  return end === undefined ? undefined : ['', end + 1]
}

const delimited: Reader = (lines, at, context, depth) => {
  const [, kind, info = ''] = BEGIN.exec(lines[at]!) ?? []
  if (kind === undefined) return undefined
  const end = findEnd(lines, `#+end_${kind.toLowerCase()}`, at)
  if (end === undefined) return undefined
  return [delimitedBlock(kind.toLowerCase(), info, lines.slice(at + 1, end), { context, depth }), end + 1]
}

/** The line numbers of ends of blocks and drawers, by their texts. */
const ends = new WeakMap<readonly string[], ReadonlyMap<string, readonly number[]>>()

/**
 * The first line after `at` with this end. NOTE: the lines are indexed once; scanning them at every beginning would
 * take quadratic time for a text of beginnings.
 */
function findEnd(lines: readonly string[], text: string, at: number): number | undefined {
  const byText = ends.get(lines) ?? readEnds(lines)
  ends.set(lines, byText)
  const offsets = byText.get(text) ?? []
  let [low, high] = [0, offsets.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (offsets[middle]! > at) high = middle
    else low = middle + 1
  }
  return offsets[low]
}

function readEnds(lines: readonly string[]): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (const [at, line] of lines.entries()) {
    const text = /^\s*(:end:|#\+end_\w+)\s*$/i.exec(line)?.[1]?.toLowerCase()
    if (text === undefined) continue
    const offsets = found.get(text)
    if (offsets) offsets.push(at)
    else found.set(text, [at])
  }
  return found
}

function delimitedBlock(
  kind: string,
  info: string,
  inside: readonly string[],
  { context, depth }: { context: MarkupContext; depth: number },
): string {
  const text = inside.map((line) => `${line}\n`).join('')
  switch (kind) {
    case 'src':
      return renderCodeBlock(text, info, context.own)
    case 'example':
      return `<pre>${escapeHtml(text)}</pre>\n`
    case 'quote':
      return `<blockquote>\n${nested(inside, context, depth)}</blockquote>\n`
    case 'verse':
      return `<p dir="auto">${inside.map((line) => renderOrgText(line, context)).join('<br/>\n')}</p>\n`
    case 'export':
    case 'comment':
      return ''
    default:
      return `<div>\n${nested(inside, context, depth)}</div>\n`
  }
}

const nested = (lines: readonly string[], context: MarkupContext, depth: number): string =>
  depth >= MAX_DEPTH ? `<p dir="auto">${escapeHtml(lines.join('\n'))}</p>\n` : blocks(lines, context, depth + 1)

const fixedWidth: Reader = (lines, at) => {
  const end = endOf(lines, at, (line) => /^\s*:(?:\s|$)/.test(line))
  return end === at
    ? undefined
    : [
        `<pre>${lines
          .slice(at, end)
          .map((line) => `${escapeHtml(line.replace(/^\s*: ?/, ''))}\n`)
          .join('')}</pre>\n`,
        end,
      ]
}

const rule: Reader = (lines, at) => (/^\s*-{5,}\s*$/.test(lines[at]!) ? ['<hr/>\n', at + 1] : undefined)

const table: Reader = (lines, at, context) => {
  const end = endOf(lines, at, (line) => /^\s*\|/.test(line))
  if (end === at) return undefined
  const rows = lines.slice(at, end)
  const isRule = (line: string): boolean => /^\s*\|-/.test(line)
  const head = rows.findIndex(isRule)
  const row = (line: string, cell: 'td' | 'th'): string =>
    `<tr>\n${line
      .trim()
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((text) => `<${cell}>${renderOrgText(text.trim(), context)}</${cell}>\n`)
      .join('')}</tr>\n`
  const body = (from: readonly string[], cell: 'td' | 'th'): string =>
    from
      .filter((line) => !isRule(line))
      .map((line) => row(line, cell))
      .join('')
  const first = head > 0 ? `<thead>\n${body(rows.slice(0, head), 'th')}</thead>\n` : ''
  return [`<table>\n${first}<tbody>\n${body(rows.slice(Math.max(head, 0)), 'td')}</tbody>\n</table>\n`, end]
}

const footnote: Reader = (lines, at, context) => {
  const [, name, first] = /^\[fn:([\w-]{1,50})\]\s+(.*)$/.exec(lines[at]!) ?? []
  if (name === undefined || first === undefined) return undefined
  const end = endOf(lines, at + 1, (line) => line.trim() !== '' && !startsBlock(line))
  const text = [first, ...lines.slice(at + 1, end)].join('\n')
  return [
    `<p id="fn:user-content-${name}" dir="auto" ${context.own}><sup>${name}</sup> ${renderOrgText(text, context)} <a href="#fnref:user-content-${name}" ${context.own}>↩︎</a></p>\n`,
    end,
  ]
}

const list: Reader = (lines, at, context, depth) => {
  const [, indent, , number] = ITEM.exec(lines[at]!) ?? []
  if (indent === undefined) return undefined
  const isOrdered = number !== undefined
  let html = ''
  let next = at
  for (;;) {
    const item = ITEM.exec(lines[next] ?? '')
    if (item?.[1]?.length !== indent.length || (item[3] !== undefined) !== isOrdered) break
    const end = endOfItem(lines, next, indent.length)
    html += listItem([item[4]!, ...lines.slice(next + 1, end)], context, depth)
    next = end
  }
  const element = isOrdered ? 'ol' : 'ul'
  return [`<${element} dir="auto">\n${html}</${element}>\n`, next]
}

/**
 * The number of the line after an item: more deeply indented lines belong to it, each optionally preceded by one empty
 * line.
 */
function endOfItem(lines: readonly string[], at: number, indent: number): number {
  let end = at + 1
  while (end < lines.length) {
    const line = lines[end]!
    if (line.trim() === '' ? !isDeeper(lines[end + 1], indent) : !isDeeper(line, indent)) break
    end++
  }
  while (lines[end]?.trim() === '' && ITEM.exec(lines[end + 1] ?? '')?.[1]?.length === indent) end++
  return end
}

const isDeeper = (line: string | undefined, indent: number): boolean =>
  line !== undefined && line.trim() !== '' && /^\s*/.exec(line)![0].length > indent

function listItem([first = '', ...more]: readonly string[], context: MarkupContext, depth: number): string {
  const box = CHECKBOX.exec(first)
  const input =
    box === null ? '' : `<input type="checkbox" disabled=""${/x/i.test(box[1]!) ? ' checked=""' : ''} ${context.own}/>`
  const [, term, definition = ''] = /^(.{1,200}?)\s+::(?:\s+(.*))?$/.exec(first.slice(box?.[0].length ?? 0)) ?? []
  const text = term === undefined ? first.slice(box?.[0].length ?? 0) : definition
  const margin = more.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, /^\s*/.exec(line)![0].length)),
    Infinity,
  )
  const inner = nested([text, ...more.map((line) => line.slice(margin))], context, depth)
  const plain = inner.replace(/^<p dir="auto">([\s\S]*?)<\/p>\n/, '$1\n').replace(/\n$/, '')
  return `<li${box === null ? '' : ` class="task-list-item" ${context.own}`}>${input}${term === undefined ? '' : `<strong>${renderOrgText(term, context)}</strong> `}${plain}</li>\n`
}

function paragraph(lines: readonly string[], at: number, context: MarkupContext): Block {
  const end = endOf(lines, at + 1, (line) => line.trim() !== '' && !startsBlock(line))
  return [
    `<p dir="auto">${renderOrgText(
      lines
        .slice(at, end)
        .map((line) => line.trim())
        .join('\n'),
      context,
    )}</p>\n`,
    end,
  ]
}

const startsBlock = (line: string): boolean => /^\*+\s|^\s*(?:#|\||-{5,}\s*$|:\s)|^\[fn:/.test(line) || ITEM.test(line)

function endOf(lines: readonly string[], at: number, belongs: (line: string) => boolean): number {
  let end = at
  while (end < lines.length && belongs(lines[end]!)) end++
  return end
}

const READERS: readonly Reader[] = [heading, delimited, keyword, drawer, fixedWidth, rule, table, footnote, list]
