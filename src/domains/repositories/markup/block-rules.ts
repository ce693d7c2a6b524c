import type { MarkdownIt, Token } from 'markdown-it'
import { trimOf } from '../../../core/platform/trim.ts'

/** The dialect in which a text is rendered (behaviour/users-and-admin#markdown-and-markup). */
export type MarkupMode = 'plain' | 'document' | 'comment' | 'wiki'

/** Resolves the links of a text: bases without a trailing slash, and the repository if the text belongs to one. */
export interface MarkupContext {
  readonly mode: MarkupMode
  readonly rootUrl: string
  /** `owner/repo`, used only as text: no lookup. */
  readonly repo: string | undefined
  readonly linkBase: string
  readonly imageBase: string
  /** Lower-case names that may be mentioned. */
  readonly mentionable: ReadonlySet<string>
  /** Ids in the text that name commits of the repository. */
  readonly commits: ReadonlySet<string>
  /** The attribute of elements that the renderer generates, see sanitize.ts. */
  readonly own: string
}

/**
 * `Context` of a request: `/{owner}/{repo}` or `/{owner}/{repo}/src/{branch|commit|tag}/{ref...}/{dir}`, with or
 * without the root URL.
 */
export function resolveContext(
  mode: MarkupMode,
  rootUrl: string,
  text: string,
): Omit<MarkupContext, 'commits' | 'mentionable' | 'own'> {
  const path = trimOf(text.startsWith(rootUrl) ? text.slice(rootUrl.length) : text, '/')
  const [owner, name, kind, ...segments] = path.split('/')
  const repo = owner && name ? `${owner}/${name}` : undefined
  const base = repo === undefined ? rootUrl : `${rootUrl}/${repo}`
  const bases =
    mode === 'wiki' ? { linkBase: `${base}/wiki`, imageBase: `${base}/wiki/raw` } : sourceBases(base, kind, segments)
  return { mode, rootUrl, repo, ...bases }
}

function sourceBases(
  base: string,
  kind: string | undefined,
  segments: readonly string[],
): { linkBase: string; imageBase: string } {
  if (kind !== 'src' || segments.length === 0) return { linkBase: base, imageBase: base }
  const tail = segments.join('/')
  return { linkBase: `${base}/src/${tail}`, imageBase: `${base}/media/${tail}` }
}

const HAS_SCHEME = /^[a-z][a-z0-9+.-]*:/i

/** A link target as an absolute URL; dot segments are clamped at the base, absolute paths stay below it too. */
export function resolveLink(target: string, base: string): string {
  if (target === '' || HAS_SCHEME.test(target) || target.startsWith('//')) return target
  if (target.startsWith('#')) return `#user-content-${target.slice(1)}`
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(target)!
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return kept.length === 0 ? base + tail : `${base}/${kept.join('/')}${tail}`
}

const ALERTS: Readonly<Record<string, string>> = {
  NOTE: 'Note',
  TIP: 'Tip',
  IMPORTANT: 'Important',
  WARNING: 'Warning',
  CAUTION: 'Caution',
}

/** Paragraphs and lists follow the direction of their text; tables align by attribute; `~~x~~` is `<del>`. */
export function plainBlocks(md: MarkdownIt): void {
  md.core.ruler.push('plain_blocks', (state) => {
    for (const token of walk(state.tokens)) {
      if (token.type === 'paragraph_open' || token.type === 'bullet_list_open' || token.type === 'ordered_list_open')
        token.attrSet('dir', 'auto')
      if (token.type === 's_open' || token.type === 's_close') token.tag = 'del'
      if (token.type === 'th_open' || token.type === 'td_open') alignByAttribute(token)
    }
  })
}

function alignByAttribute(token: Token): void {
  const side = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1]
  if (side !== undefined) token.attrs = [...(token.attrs ?? []).filter(([name]) => name !== 'style'), ['align', side]]
}

/** Adds ids for links to headings of documents. */
export function headingIds(md: MarkdownIt): void {
  md.core.ruler.push('heading_ids', (state) => {
    const { context } = state.env as { context: MarkupContext }
    if (context.mode === 'comment') return
    for (const [index, token] of state.tokens.entries()) {
      if (token.type !== 'heading_open') continue
      token.attrSet(
        'id',
        `user-content-${slug(state.tokens[index + 1]?.children?.map((child) => child.content).join('') ?? '')}`,
      )
      markOwn(token, context)
    }
  })
}

export const slug = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')

/** `- [ ] text`: a checkbox with the byte offset of its bracket in the source. */
export function taskLists(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'task_lists', (state) => {
    const { context } = state.env as { context: MarkupContext }
    const offsets = lineOffsets(state.src)
    for (const [index, token] of state.tokens.entries()) {
      const box = token.type === 'inline' && /^\[([ xX])\][ \t]/.exec(token.content)
      const item = state.tokens[index - 2]
      const first = token.children?.[0]
      if (!box || item?.type !== 'list_item_open' || first === undefined || token.map == null) continue
      item.attrJoin('class', 'task-list-item')
      markOwn(item, context)
      first.content = first.content.slice(4)
      const line = offsets[token.map[0]]!
      const position = line.bytes + Buffer.byteLength(line.text.slice(0, line.text.indexOf('[')))
      const input = new state.Token('html_inline', '', 0)
      const checked = box[1] === ' ' ? '' : ' checked=""'
      input.content = `<input type="checkbox" disabled="" data-source-position="${position}"${checked} ${context.own}/>`
      token.children!.unshift(input)
    }
  })
}

function lineOffsets(source: string): { text: string; bytes: number }[] {
  let bytes = 0
  return source.split('\n').map((text) => {
    const line = { text, bytes }
    bytes += Buffer.byteLength(text) + 1
    return line
  })
}

/** `> [!NOTE]` and its siblings. */
export function alerts(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'alerts', (state) => {
    const { context } = state.env as { context: MarkupContext }
    const tokens: Token[] = []
    for (const [index, token] of state.tokens.entries()) {
      tokens.push(token)
      const inline = state.tokens[index + 2]
      const match =
        token.type === 'blockquote_open' && inline?.type === 'inline'
          ? /^\[!(\w+)\](?:\n|$)/.exec(inline.content)
          : null
      const title = match ? ALERTS[match[1]!.toUpperCase()] : undefined
      if (!match || title === undefined || !inline?.children) continue
      const kind = title.toLowerCase()
      token.attrSet('class', `attention-header attention-${kind}`)
      markOwn(token, context)
      const end = inline.children.findIndex((child) => child.type === 'softbreak' || child.type === 'hardbreak')
      inline.children.splice(0, end < 0 ? inline.children.length : end + 1)
      const head = new state.Token('html_block', '', 0)
      head.content = `<p dir="auto"><strong class="attention-${kind}" ${context.own}>${title}</strong></p>\n`
      tokens.push(head)
    }
    state.tokens = tokens
  })
}

/** Marks an element as generated by the renderer, so that the sanitizer does not change its classes and ids. */
export function markOwn(token: Token, context: MarkupContext): void {
  const [, name, value] = /^([\w-]+)="([^"]*)"$/.exec(context.own)!
  token.attrSet(name!, value!)
}

function* walk(tokens: readonly Token[]): Generator<Token> {
  for (const token of tokens) {
    yield token
    if (token.children) yield* walk(token.children)
  }
}
