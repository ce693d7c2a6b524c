import type { MarkdownIt, Token } from 'markdown-it'
import { markOwn } from './block-rules.ts'
import { type MarkupContext, resolveLink } from './context.ts'
import { escapeHtml, shortenUrl } from './references/references.ts'

/** Resolves relative links and images, marks bare URLs as generated and shortens URLs of this server. */
export function rewriteLinks(md: MarkdownIt): void {
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

/** NOTE: by one pass: a pass for each image would take quadratic time for a text of images. */
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
