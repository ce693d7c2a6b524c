import { escapeHtml } from '../../../core/platform/html.ts'
import { gemoji } from 'gemoji'
import type { MarkdownIt } from 'markdown-it'
import { type MarkupContext, resolveLink } from './block-rules.ts'
import type { HLJSApi } from 'highlight.js'
import { createRequire } from 'node:module'

const descriptions = new Map(gemoji.flatMap((entry) => entry.names.map((name) => [name, entry] as const)))
const IMAGE = /\.(?:png|jpe?g|gif|webp|svg|avif|bmp|ico)$/i

export const isImage = (target: string): boolean => IMAGE.test(target)

/** `:name:` of a known emoji. */
export function emojiRule(md: MarkdownIt): void {
  md.inline.ruler.push('emoji', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x3a) return false
    const match = /^:([a-z0-9_+-]{1,50}):/.exec(state.src.slice(state.pos, state.pos + 52))
    const found = match && descriptions.get(match[1]!)
    if (!match || !found) return false
    if (!silent) {
      const token = state.push('emoji', '', 0)
      token.content = `<span class="emoji" aria-label="${escapeHtml(found.description)}" ${own(state.env)}>${found.emoji}</span>`
    }
    state.pos += match[0].length
    return true
  })
  md.renderer.rules['emoji'] = (tokens, index) => tokens[index]!.content
}

/** `$x$` and `$$x$$`, which the client renders. */
export function mathRule(md: MarkdownIt): void {
  md.inline.ruler.after('escape', 'math', (state, silent) => {
    if (state.src.charCodeAt(state.pos) !== 0x24) return false
    const ahead = state.src.slice(state.pos, state.pos + 2_000)
    const match = /^\$\$([^$]+)\$\$/.exec(ahead) ?? /^\$(?![\s$])([^$\n]*[^$\s\\])\$(?!\d)/.exec(ahead)
    if (!match) return false
    if (!silent) {
      const token = state.push('math', '', 0)
      token.content = `<code class="language-math" ${own(state.env)}>${escapeHtml(match[1]!)}</code>`
    }
    state.pos += match[0].length
    return true
  })
  md.renderer.rules['math'] = (tokens, index) => tokens[index]!.content
}

/** `[[Page]]` and `[[text|Page]]`; names of images become images. */
export function wikiLinkRule(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'wiki_link', (state, silent) => {
    if (!state.src.startsWith('[[', state.pos)) return false
    const match = /^\[\[([^[\]\n]{1,500})\]\]/.exec(state.src.slice(state.pos, state.pos + 510))
    if (!match) return false
    if (!silent) {
      const parts = match[1]!.split('|').map((part) => part.trim())
      const target = parts.at(-1)!
      const token = state.push('wiki_link', '', 0)
      token.content = wikiLink(parts[0]!, target, (state.env as { context: MarkupContext }).context)
    }
    state.pos += match[0].length
    return true
  })
  md.renderer.rules['wiki_link'] = (tokens, index) => tokens[index]!.content
}

function wikiLink(text: string, target: string, context: MarkupContext): string {
  if (isImage(target)) {
    const src = resolveLink(target, context.imageBase)
    return `<img src="${escapeHtml(src)}" alt="${escapeHtml(text)}" ${context.own}/>`
  }
  return `<a href="${escapeHtml(encodeURI(resolveLink(target.replaceAll(' ', '-'), context.linkBase)))}" ${context.own}>${escapeHtml(text)}</a>`
}

/** Adds a preview to inline code that is a colour. */
export function colorPreview(md: MarkdownIt): void {
  md.renderer.rules['code_inline'] = (tokens, index, _options, env) => {
    const text = tokens[index]!.content
    const color = /^(?:#[0-9a-f]{3,8}|(?:rgb|hsl)a?\([\d\s,.%]+\))$/i.test(text)
    const preview = color
      ? `<span class="color-preview" style="background-color: ${escapeHtml(text)}" ${own(env)}></span>`
      : ''
    return `<code>${escapeHtml(text)}${preview}</code>`
  }
}

const own = (env: unknown): string => (env as { context: MarkupContext }).context.own

const require = createRequire(import.meta.url)

/**
 * NOTE: loaded when the first code block is rendered: loading takes a quarter of the time that a process has to render
 * a text.
 */
const highlighter = (): HLJSApi => require('highlight.js/lib/common') as HLJSApi

/** Short class names for the highlighter's token kinds, as in the style sheets of clients. */
const SHORT: Readonly<Record<string, string>> = {
  keyword: 'k',
  built_in: 'nb',
  type: 'kt',
  literal: 'kc',
  number: 'm',
  string: 's',
  regexp: 'sr',
  comment: 'c',
  doctag: 'sd',
  meta: 'cp',
  title: 'nf',
  'title.class': 'nc',
  'title.function': 'nf',
  attr: 'na',
  attribute: 'na',
  variable: 'nv',
  symbol: 'ss',
  name: 'nt',
  tag: 'nt',
  operator: 'o',
  punctuation: 'p',
  params: 'n',
  property: 'na',
  addition: 'gi',
  deletion: 'gd',
  section: 'gh',
  bullet: 'o',
  code: 's',
  emphasis: 'ge',
  strong: 'gs',
  link: 's',
  quote: 'c',
  subst: 'si',
  selector: 'nt',
  template: 'si',
  char: 'sc',
  formula: 's',
}
const MAX_HIGHLIGHTED_LENGTH = 64 * 1024
/** NOTE: the highlighter takes quadratic time for some lines. */
const LONG_LINE = /[^\n]{1001}/

/** A fenced block: highlighted in a supported language; diagrams and formulas are rendered by the client. */
export function renderCodeBlock(code: string, info: string, own: string): string {
  const language = info
    .trim()
    .split(/[\s{,]/, 1)[0]!
    .toLowerCase()
    .replaceAll(/[^\w+#.-]/g, '')
  if (language === 'mermaid' || language === 'math') {
    return `<pre class="code-block is-loading" ${own}><code class="language-${language} display" ${own}>${escapeHtml(code)}</code></pre>\n`
  }
  const classes = `chroma language-${language === '' ? 'text' : language} display`
  return `<div class="code-block-container code-overflow-scroll" ${own}><pre class="code-block" ${own}><code class="${classes}" ${own}>${highlight(code, language, own)}</code></pre></div>\n`
}

function highlight(code: string, language: string, own: string): string {
  const isLarge = code.length > MAX_HIGHLIGHTED_LENGTH || LONG_LINE.test(code)
  if (isLarge || language === '') return escapeHtml(code)
  const hljs = highlighter()
  if (hljs.getLanguage(language) === undefined) return escapeHtml(code)
  const { value } = hljs.highlight(code, { language, ignoreIllegals: true })
  return value.replaceAll(/<span class="hljs-([\w-]+)([^"]*)">/g, (_, kind: string, modifiers: string) => {
    const detail = modifiers.includes('class_')
      ? `${kind}.class`
      : modifiers.includes('function_')
        ? `${kind}.function`
        : kind
    return `<span class="${SHORT[detail] ?? SHORT[kind] ?? 'n'}" ${own}>`
  })
}
