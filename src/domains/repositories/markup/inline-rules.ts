import { gemoji } from 'gemoji'
import type { MarkdownIt } from 'markdown-it'
import { type MarkupContext, resolveLink } from './context.ts'
import { escapeHtml } from './references/references.ts'

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
