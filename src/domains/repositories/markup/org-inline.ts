import { type MarkupContext, resolveLink } from './context.ts'
import { isImage } from './inline-rules.ts'
import { escapeHtml } from './references/references.ts'

const EMPHASIS: Readonly<Record<string, string>> = { '*': 'strong', '/': 'em', _: 'ins', '+': 'del' }

/** NOTE: pieces are bounded, so that a line of openings without an end is read in linear time. */
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
export function renderOrgText(text: string, context: MarkupContext): string {
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
