import { escapeHtml } from '../../../../core/platform/html.ts'
import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { trimEndOf } from '../../../../core/platform/trim.ts'
import type { MarkupContext } from '../block-rules.ts'

/**
 * References to accounts, issues and commits in running text. Rendering turns them into links; the module `references`
 * turns them into timeline entries and notifications.
 */
const MENTION = /(?<![\w/@.])@([0-9a-zA-Z][-.\w]*)/g
/** NOTE: names are bounded, so that a long run of their characters is parsed in linear time. */
const FULL_REFERENCE = /(?<![\w/])([\w-][\w.-]{0,39}\/[\w.-]{1,100})([#!])(\d{1,10})(?![\w])/g
const SHORT_REFERENCE = /(?<![\w/&])([#!])(\d{1,10})(?![\w-])/g
const COMMIT_REFERENCE = /(?<![\w/])([\w-][\w.-]{0,39}\/[\w.-]{1,100})@([0-9a-f]{7,64})(?![\w])/g

interface Found {
  readonly start: number
  readonly end: number
  readonly html: string
}

const COMMIT_ID = /(?<![\w/@#.:-])[0-9a-f]{7,64}(?![\w/-])/g
const MAX_COMMITS = 50
const MAX_NAMES = 500

/** The possible references in a text; the server looks them up before rendering. */
export interface Referenced {
  /** The lower-case names after an at sign; the first 500. */
  readonly names: readonly string[]
  /** Words that may be commit ids; the first 50. */
  readonly commitIds: readonly string[]
}

export function findReferenced(text: string): Referenced {
  const names = new Set<string>()
  for (const [, name] of text.matchAll(MENTION)) {
    names.add(trimName(name!).toLowerCase())
    if (names.size === MAX_NAMES) break
  }
  const commitIds = new Set<string>()
  for (const [id] of text.matchAll(COMMIT_ID)) {
    commitIds.add(id)
    if (commitIds.size === MAX_COMMITS) break
  }
  return { names: [...names], commitIds: [...commitIds] }
}

/** Turns mentions and references in text (never in code or links) into links. */
export function linkReferences(md: MarkdownIt): void {
  md.renderer.rules['reference'] = (tokens, index) => tokens[index]!.content
  md.core.ruler.push('references', (state) => {
    const { context } = state.env as { context: MarkupContext }
    for (const block of state.tokens) {
      if (block.type === 'inline' && block.children) block.children = expand(state, block.children, context)
    }
  })
}

function expand(state: StateCore, children: readonly Token[], context: MarkupContext): Token[] {
  const result: Token[] = []
  let links = 0
  for (const token of children) {
    if (token.type === 'link_open') links++
    if (token.type === 'link_close') links--
    if (token.type === 'text' && links === 0) result.push(...split(state, token, context))
    else result.push(token)
  }
  return result
}

function split(state: StateCore, token: Token, context: MarkupContext): Token[] {
  const found = findReferences(token.content, context)
  if (found.length === 0) return [token]
  const tokens: Token[] = []
  const add = (type: 'text' | 'reference', content: string): void => {
    if (content === '') return
    const piece = new state.Token(type, '', 0)
    piece.content = content
    piece.level = token.level
    tokens.push(piece)
  }
  let at = 0
  for (const { start, end, html } of found) {
    if (start < at) continue
    add('text', token.content.slice(at, start))
    add('reference', html)
    at = end
  }
  add('text', token.content.slice(at))
  return tokens
}

function findReferences(text: string, context: MarkupContext): Found[] {
  const { rootUrl, repo, mode } = context
  const found: Found[] = []
  const collect = (
    pattern: RegExp,
    make: (match: RegExpMatchArray) => { html: string; length?: number } | undefined,
  ): void => {
    for (const match of text.matchAll(pattern)) {
      const made = make(match)
      if (made) found.push({ start: match.index, end: match.index + (made.length ?? match[0].length), html: made.html })
    }
  }
  collect(MENTION, ([, raw]) => {
    const name = trimName(raw!)
    return context.mentionable.has(name.toLowerCase())
      ? { html: link(context, `${rootUrl}/${name}`, `@${name}`), length: name.length + 1 }
      : undefined
  })
  collect(FULL_REFERENCE, ([whole, target, mark, number]) => ({
    html: link(context, `${rootUrl}/${target}/${kindOf(mark!)}/${number}`, whole!, 'ref-issue'),
  }))
  collect(COMMIT_REFERENCE, ([, target, sha]) => ({
    html: commitLink(context, `${rootUrl}/${target}/commit/${sha}`, sha!, `${target}@`),
  }))
  if (repo !== undefined && context.commits.size > 0) {
    collect(COMMIT_ID, ([sha]) =>
      context.commits.has(sha) ? { html: commitLink(context, `${rootUrl}/${repo}/commit/${sha}`, sha, '') } : undefined,
    )
  }
  if (repo !== undefined && (mode === 'comment' || mode === 'wiki')) {
    collect(SHORT_REFERENCE, ([whole, mark, number]) => ({
      html: link(context, `${rootUrl}/${repo}/${kindOf(mark!)}/${number}`, whole!, 'ref-issue'),
    }))
  }
  return found.toSorted((a, b) => a.start - b.start || b.end - a.end)
}

/** The short form of a full URL of this server in running text; undefined for any other URL. */
export function shortenUrl(url: string, context: MarkupContext): { html: string } | undefined {
  if (!url.startsWith(`${context.rootUrl}/`)) return undefined
  const [owner, name, kind, id, ...extra] = url.slice(context.rootUrl.length + 1).split('/')
  if (!owner || !name || !id || extra.length > 0) return undefined
  const target = `${owner}/${name}`
  if ((kind === 'issues' || kind === 'pulls') && /^\d{1,10}$/.test(id)) {
    return {
      html: link(
        context,
        url,
        `${target.toLowerCase() === context.repo?.toLowerCase() ? '' : target}#${id}`,
        'ref-issue',
      ),
    }
  }
  return kind === 'commit' && /^[0-9a-f]{7,64}$/.test(id) ? { html: commitLink(context, url, id, '') } : undefined
}

const kindOf = (mark: string): string => (mark === '!' ? 'pulls' : 'issues')
const trimName = (name: string): string => trimEndOf(name, '-._')

function link(context: MarkupContext, href: string, text: string, className = ''): string {
  return `<a href="${escapeHtml(href)}" data-markdown-generated-content=""${className === '' ? '' : ` class="${className}"`} ${context.own}>${escapeHtml(text)}</a>`
}

function commitLink(context: MarkupContext, href: string, sha: string, prefix: string): string {
  return `<a href="${escapeHtml(href)}" data-markdown-generated-content="" class="commit" ${context.own}>${escapeHtml(prefix)}<code>${sha.slice(0, 10)}</code></a>`
}

/** The syntax of references to users and issues in texts. */
export const referencePatterns = {
  mention: MENTION,
  fullReference: FULL_REFERENCE,
  shortReference: SHORT_REFERENCE,
} as const
