import { shorten, type Span } from './chat-message.ts'

/** A markup of chats: how it writes a text, and a text that leads to an address. */
export interface Markup {
  text(text: string): string
  link(text: string, url: string): string
}

/** NOTE: control characters are shown by no chat, and some refuse the whole message because of one. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g
/**
 * What changes the direction of the text after it, so that it shows another line than it is, and what nothing shows.
 */
const INVISIBLE = /[\u202A-\u202E\u2066-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu
const LINE_ENDS = /\r\n|[\u2028\u2029]/g
/** Separates what begins a mention from the name, without being seen. */
const BREAK = '\u200B'

/** Well-formed, with line feeds and tabs as the only control characters. */
export const printable = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_ENDS, '\n').replaceAll(CONTROLS, ' ').replaceAll(INVISIBLE, '')

/** An address without the characters that end one in the markups below, or begin a mention. */
const safeUrl = (url: string): string => printable(url).replaceAll(/[\s<>|()[\]"'`\\@]/g, percent)
const percent = (char: string): string => `%${char.codePointAt(0)!.toString(16).toUpperCase().padStart(2, '0')}`

const escapeTags = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** NOTE: `@name` and `@room` would call people, also where a chat reads HTML. */
export const html: Markup = {
  text: (text) => escapeTags(printable(text)).replaceAll('"', '&quot;').replaceAll('@', `@${BREAK}`),
  link: (text, url) => `<a href="${html.text(safeUrl(url))}">${html.text(text)}</a>`,
}

/** NOTE: `<!channel>` and `<@user>` would call people. */
export const slackMarkup: Markup = {
  text: (text) => escapeTags(printable(text)),
  link: (text, url) => `<${safeUrl(url)}|${slackMarkup.text(text).replaceAll('|', '¦')}>`,
}

/** What begins a list, or makes the line before it a heading. */
const escapeLineStarts = (text: string): string =>
  text.replaceAll(/^([ \t]*)([-+=])/gm, String.raw`$1\$2`).replaceAll(/^([ \t]*\d{1,9})\./gm, String.raw`$1\.`)

export const markdown: Markup = {
  text: (text) => escapeLineStarts(printable(text).replaceAll(/[\\`*_{}[\]()#~|<>]/g, String.raw`\$&`)),
  link: (text, url) => `[${markdown.text(text)}](${safeUrl(url)})`,
}

/** Markdown that may have tags of HTML in it. */
export const taggedMarkdown: Markup = {
  text: (text) => escapeLineStarts(escapeTags(printable(text)).replaceAll(/[\\`*_{}[\]()#~|]/g, String.raw`\$&`)),
  link: (text, url) => `[${taggedMarkdown.text(text)}](${safeUrl(url)})`,
}

/** A dialect without escapes of brackets, where `<` begins tags and mentions. */
export const entityMarkdown: Markup = {
  text: (text) =>
    escapeTags(printable(text))
      .replaceAll(/^([ \t]*)#(?=#*(?:[ \t]|$))/gm, '$1&#35;')
      .replaceAll(/[\\`*_[\]]/g, (char) => `&#${char.codePointAt(0)};`),
  link: (text, url) => `[${entityMarkdown.text(text)}](${safeUrl(url)})`,
}

/** No markup: the address follows the text. NOTE: `<at ...>` and `@room` would call people. */
export const plain: Markup = {
  text: (text) => printable(text).replaceAll(/[<@]/g, `$&${BREAK}`),
  link: (text, url) => `${plain.text(text)} (${safeUrl(url)})`,
}

/** A text in at most so many characters of a markup. */
export function textWithin(markup: Markup, text: string, length: number): string {
  for (let shown = shorten(text, length); ;) {
    const made = markup.text(shown)
    if (made.length <= length) return made
    shown = shorten(shown, Math.max(1, shown.length - Math.ceil((made.length - length) / 2)))
  }
}

export const render = (markup: Markup, spans: readonly Span[]): string =>
  spans.map(({ text, url }) => (url ? markup.link(text, url) : markup.text(text))).join('')
