import { escapeHtml } from '../../../core/platform/html.ts'
import createMarkdownIt, { type MarkdownIt, type Token } from 'markdown-it'
import footnote from 'markdown-it-footnote'
import { randomBytes } from 'node:crypto'
import {
  alerts,
  headingIds,
  plainBlocks,
  taskLists,
  markOwn,
  type MarkupContext,
  type MarkupMode,
  resolveContext,
  resolveLink,
} from './block-rules.ts'
import { renderCodeBlock, colorPreview, emojiRule, mathRule, wikiLinkRule } from './inline-rules.ts'
import { renderOrg } from './org.ts'
import { linkReferences, shortenUrl } from './references/references.ts'
import { sanitize } from './sanitize.ts'

/** Paths in a 16 × 16 view box, filled by the even-odd rule. */
const SHAPES: Readonly<Record<string, string>> = {
  note: 'M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1Zm-.75 6h1.5v5h-1.5Zm0-3h1.5v1.5h-1.5Z',
  tip: 'M8 1a5 5 0 0 0-3 9v2h6v-2a5 5 0 0 0-3-9ZM6 13.5h4V15H6Z',
  important: 'M1 2h14v10H8l-3 3v-3H1Zm6.25 2h1.5v4h-1.5Zm0 5h1.5v1.5h-1.5Z',
  warning: 'M8 1l7.5 14H.5Zm-.75 5h1.5v4h-1.5Zm0 5.5h1.5V13h-1.5Z',
  caution: 'M5 1h6l4 4v6l-4 4H5l-4-4V5Zm2.25 3h1.5v5h-1.5Zm0 6h1.5v1.5h-1.5Z',
}

/**
 * Inserts an icon before the title of each alert. NOTE: runs after sanitizing, which deletes SVG; only alerts that the
 * renderer generated have the class at this point.
 */
function withAlertIcons(html: string): string {
  return html.replaceAll(/<strong class="attention-(\w+)">/g, (title, kind: string) => {
    const shape = SHAPES[kind]
    if (shape === undefined) return title
    return `<svg class="attention-icon attention-${kind}" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true"><path fill="currentColor" fill-rule="evenodd" d="${shape}"/></svg>${title}`
  })
}

/** The input of a rendering, as plain data that can be sent to another process. */
export interface RenderInput {
  readonly text: string
  readonly format: 'markdown' | 'csv' | 'org'
  readonly mode: MarkupMode
  readonly rootUrl: string
  /** `Context` of the request. */
  readonly context: string
  /** Lower-case names that exist and may be mentioned. */
  readonly mentionable: readonly string[]
  /** Ids in the text that name commits of the repository. */
  readonly commits: readonly string[]
  readonly picturesAsLinks?: boolean
}

/**
 * Safe HTML of a text (behaviour/users-and-admin#markdown-and-markup). Pure; runs in a child process, which limits its
 * time and memory.
 */
export function render(input: RenderInput): string {
  const mark = randomBytes(9).toString('base64url')
  const own = `data-own="${mark}"`
  const options = { mark, keepClasses: true, picturesAsLinks: input.picturesAsLinks ?? false }
  if (input.format === 'csv') return sanitize(renderCsv(input.text, own), options)
  const context: MarkupContext = {
    ...resolveContext(input.mode, input.rootUrl, input.context),
    mentionable: new Set(input.mentionable),
    commits: new Set(input.commits),
    own,
  }
  if (input.mode === 'plain')
    return sanitize(plain.render(input.text, { context }), { ...options, keepClasses: false })
      .replaceAll('<br/>', '<br>')
      .replaceAll('<hr/>', '<hr>')
  if (input.format === 'org') return sanitize(renderOrg(input.text, context), options)
  const renderer = input.mode === 'comment' ? comment : rich
  const links = {
    link: (target: string) => resolveLink(target, context.linkBase),
    image: (target: string) => resolveLink(target, context.imageBase),
  }
  return withAlertIcons(sanitize(renderer.render(input.text, { context }), { ...options, links }))
}

// NOTE: declared before the constants below, whose set-up calls it.
const isSafeLink = (url: string): boolean => !/^(?:javascript|vbscript|data):/i.test(url.replaceAll(/\s/g, ''))

const plain = withPlainRules(createMarkdownIt({ html: true }))
const rich = withRichRules(createMarkdownIt({ html: true, linkify: true }))
const comment = withRichRules(createMarkdownIt({ html: true, linkify: true, breaks: true }))

function withPlainRules(md: MarkdownIt): MarkdownIt {
  md.validateLink = isSafeLink
  md.use(footnote).use(footnoteShape).use(plainBlocks)
  return md
}

function withRichRules(md: MarkdownIt): MarkdownIt {
  md.validateLink = isSafeLink
  md.linkify.set({ fuzzyLink: false, fuzzyIP: false })
  md.use(footnote).use(footnoteShape).use(plainBlocks).use(headingIds).use(taskLists).use(alerts)
  md.use(mathRule).use(wikiLinkRule).use(emojiRule).use(colorPreview).use(rewriteLinks).use(linkReferences)
  md.renderer.rules['fence'] = (tokens, index, _options, env) =>
    renderCodeBlock(tokens[index]!.content, tokens[index]!.info, (env as { context: MarkupContext }).context.own)
  return md
}

/**
 * Generates footnotes for the style sheets of clients; ids in comments cannot clash with those of the page that embeds
 * them.
 */
function footnoteShape(md: MarkdownIt): void {
  const name = (meta: { id: number; label?: string } | null, context: MarkupContext): string =>
    `user-content-${Number(meta?.id ?? 0) + 1}${context.mode === 'comment' ? '-preview' : ''}`
  const rule =
    (
      make: (id: string, number: number, context: MarkupContext) => string,
    ): NonNullable<MarkdownIt['renderer']['rules'][string]> =>
    (tokens, index, _options, env) => {
      const { context } = env as { context: MarkupContext }
      const meta = tokens[index]!.meta as { id: number }
      return make(name(meta, context), Number(meta?.id ?? 0) + 1, context)
    }
  const { rules } = md.renderer
  rules['footnote_ref'] = rule(
    (id, number, { own }) => `<sup id="fnref:${id}" ${own}><a href="#fn:${id}" ${own}>${number} </a></sup>`,
  )
  rules['footnote_block_open'] = () => '<div>\n<hr/>\n<ol>\n'
  rules['footnote_block_close'] = () => '</ol>\n</div>\n'
  rules['footnote_open'] = rule((id, _, { own }) => `<li id="fn:${id}" ${own}>`)
  rules['footnote_close'] = () => '</li>\n'
  rules['footnote_anchor'] = rule((id, _, { own }) => ` <a href="#fnref:${id}" ${own}>↩︎</a>`)
}

/** A table with line numbers; the first line is its head. */
function renderCsv(text: string, own: string): string {
  const rows = parseCsv(text)
  const cells = (row: readonly string[], tag: 'th' | 'td', number: number): string =>
    `<tr><${tag} class="line-num" ${own}>${number}</${tag}>${row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')}</tr>`
  return `<table class="data-table" ${own}>${rows.map((row, index) => cells(row, index === 0 ? 'th' : 'td', index + 1)).join('')}</table>`
}

/** RFC 4180. The separator is the most frequent of comma, semicolon and tab in the first line. */
function parseCsv(text: string): string[][] {
  const head = text.slice(0, text.indexOf('\n') >>> 0)
  const count = (mark: string): number => head.split(mark).length
  const separator = [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best))
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  const endCell = (): void => {
    row.push(cell)
    cell = ''
  }
  const endRow = (): void => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if (quoted && char === '"' && text[at + 1] === '"') {
      cell += '"'
      at++
    } else if (char === '"' && (quoted || cell === '')) quoted = !quoted
    else if (quoted) cell += char
    else if (char === separator) endCell()
    else if (char === '\n') endRow()
    else if (char !== '\r') cell += char
  }
  endRow()
  return rows
}

/** Resolves relative links and images, marks bare URLs as generated and shortens URLs of this server. */
function rewriteLinks(md: MarkdownIt): void {
  const inLink = new WeakSet<Token>()
  md.core.ruler.push('images_in_links', ({ tokens }) => {
    for (const { children } of tokens) for (const image of imagesInLinks(children ?? [])) inLink.add(image)
  })
  md.renderer.rules['link_open'] = (tokens, index, options, env) => {
    const token = tokens[index]!
    const { context } = env as { context: MarkupContext }
    const href = String(token.attrGet('href') ?? '')
    if (token.markup === 'linkify') {
      token.attrSet('data-markdown-generated-content', '')
      const short = tokens[index + 1]?.type === 'text' ? shortenUrl(href, context) : undefined
      if (short) {
        tokens[index + 1]!.content = ''
        const close = tokens[index + 2]
        if (close?.type === 'link_close') close.hidden = true
        return short.html
      }
    } else {
      token.attrSet('href', resolveLink(href, context.linkBase))
    }
    markOwn(token, context)
    return md.renderer.renderToken(tokens, index, options)
  }
  md.renderer.rules['image'] = (tokens, index, options, env) => {
    const token = tokens[index]!
    const { context } = env as { context: MarkupContext }
    const source = String(token.attrGet('src') ?? '')
    const alt = md.renderer.renderInlineAsText(token.children ?? [], options, env)
    const title = token.attrGet('title')
    const src = resolveLink(source, context.imageBase)
    const image = `<img src="${escapeHtml(src)}" alt="${escapeHtml(alt)}"${title ? ` title="${escapeHtml(String(title))}"` : ''} loading="lazy" ${context.own}/>`
    return inLink.has(token)
      ? image
      : `<a href="${escapeHtml(resolveLink(source, context.linkBase))}" target="_blank" rel="nofollow noopener" ${context.own}>${image}</a>`
  }
}

/** NOTE: in one pass: one pass for each image would take quadratic time for a text of images. */
function imagesInLinks(tokens: readonly Token[]): Token[] {
  const found: Token[] = []
  let links = 0
  for (const token of tokens) {
    if (token.type === 'link_open') links++
    else if (token.type === 'link_close') links--
    else if (token.type === 'image' && links > 0) found.push(token)
  }
  return found
}
