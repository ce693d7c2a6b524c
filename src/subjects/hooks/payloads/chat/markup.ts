import type { Span } from './chat-message.ts'

/** A markup of chats: how it writes a text, and a text that leads to an address. */
export interface Markup {
  text(text: string): string
  link(text: string, url: string): string
}

/** NOTE: control characters are shown by no chat, and some refuse the whole message because of one. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f]/g

export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(CONTROLS, ' ')

/** An address without the characters that end one in the markups below. */
const safeUrl = (url: string): string => printable(url).replaceAll(/[\s<>|()[\]"'`\\]/g, percent)
const percent = (char: string): string => `%${char.codePointAt(0)!.toString(16).toUpperCase().padStart(2, '0')}`

export const html: Markup = {
  text: (text) =>
    printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  link: (text, url) => `<a href="${html.text(safeUrl(url))}">${html.text(text)}</a>`,
}

/** NOTE: `<!channel>` and `<@user>` would call people. */
export const slackMarkup: Markup = {
  text: (text) => printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  link: (text, url) => `<${safeUrl(url)}|${slackMarkup.text(text).replaceAll('|', '¦')}>`,
}

export const markdown: Markup = {
  text: (text) => printable(text).replaceAll(/[\\`*_{}[\]()#~|<>]/g, String.raw`\$&`),
  link: (text, url) => `[${markdown.text(text)}](${safeUrl(url)})`,
}

/** A dialect without escapes of brackets, where `<` begins tags and mentions. */
export const entityMarkdown: Markup = {
  text: (text) =>
    printable(text)
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(/[\\`*_[\]]/g, (char) => `&#${char.codePointAt(0)};`),
  link: (text, url) => `[${entityMarkdown.text(text)}](${safeUrl(url)})`,
}

/** No markup: the address follows the text. NOTE: `<at ...>` would call people, so that nothing may follow `<`. */
export const plain: Markup = {
  text: (text) => printable(text).replaceAll('<', '<\u200B'),
  link: (text, url) => `${plain.text(text)} (${safeUrl(url)})`,
}

export const render = (markup: Markup, spans: readonly Span[]): string =>
  spans.map(({ text, url }) => (url ? markup.link(text, url) : markup.text(text))).join('')
