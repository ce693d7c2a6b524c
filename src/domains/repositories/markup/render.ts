import { randomBytes } from 'node:crypto'
import createMarkdownIt, { type MarkdownIt } from 'markdown-it'
import footnote from 'markdown-it-footnote'
import { withAlertIcons } from './alert-icons.ts'
import { alerts, headingIds, plainBlocks, taskLists } from './block-rules.ts'
import { renderCodeBlock } from './code-blocks.ts'
import { type MarkupContext, type MarkupMode, resolveContext, resolveLink } from './context.ts'
import { renderCsv } from './csv.ts'
import { colorPreview, emojiRule, mathRule, wikiLinkRule } from './inline-rules.ts'
import { rewriteLinks } from './link-rules.ts'
import { renderOrg } from './org.ts'
import { linkReferences } from './references/references.ts'
import { sanitize } from './sanitize.ts'

/** The input of a rendering, as plain data that can be sent to another process. */
export interface RenderInput {
  readonly text: string
  readonly format: 'markdown' | 'csv' | 'org'
  readonly mode: MarkupMode
  readonly rootUrl: string
  /** `Context` of the request. */
  readonly context: string
  /** Lower-cased names that exist and may be mentioned. */
  readonly mentionable: readonly string[]
  /** Ids in the text that name commits of the repository. */
  readonly commits: readonly string[]
  readonly picturesAsLinks?: boolean
}

/**
 * Safe HTML of a text (behaviour/users-and-admin#markdown-and-markup). Pure; runs in a
 * child process, which limits its time and memory.
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
  const place = {
    link: (target: string) => resolveLink(target, context.linkBase),
    image: (target: string) => resolveLink(target, context.imageBase),
  }
  return withAlertIcons(sanitize(renderer.render(input.text, { context }), { ...options, place }))
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
 * Footnotes as clients' style sheets expect them; ids of comments cannot clash with those of the page that embeds them.
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
