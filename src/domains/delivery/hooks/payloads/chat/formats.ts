import { createHmac } from 'node:crypto'
import { type ChatMessage, COLOR_OF, plainText, renderWithin, shorten, type Span } from './chat-message.ts'

/** A markup of chats: how to write texts and links. */
interface Markup {
  text(text: string): string
  link(text: string, url: string): string
}

/** NOTE: chats do not show control characters, and some refuse a whole message because of one. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g
/**
 * Characters that change the direction of the following text, which could disguise a line, and invisible characters.
 */
const INVISIBLE = /[\u202A-\u202E\u2066-\u2069\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu
const LINE_ENDS = /\r\n|[\u2028\u2029]/g
/** An invisible character that separates the start of a mention from the name. */
const BREAK = '\u200B'

/** Well-formed, with line feeds and tabs as the only control characters. */
const printable = (text: string): string =>
  text.toWellFormed().replaceAll(LINE_ENDS, '\n').replaceAll(CONTROLS, ' ').replaceAll(INVISIBLE, '')

/** An address without the characters that end an address in the markups below, or start a mention. */
const safeUrl = (url: string): string => printable(url).replaceAll(/[\s<>|()[\]"'`\\@]/g, percent)
const percent = (char: string): string => `%${char.codePointAt(0)!.toString(16).toUpperCase().padStart(2, '0')}`

const escapeTags = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** NOTE: `@name` and `@room` would mention people, even in chats that render HTML. */
const html: Markup = {
  text: (text) => escapeTags(printable(text)).replaceAll('"', '&quot;').replaceAll('@', `@${BREAK}`),
  link: (text, url) => `<a href="${html.text(safeUrl(url))}">${html.text(text)}</a>`,
}

/** NOTE: `<!channel>` and `<@user>` would mention people. */
const slackMarkup: Markup = {
  text: (text) => escapeTags(printable(text)),
  link: (text, url) => `<${safeUrl(url)}|${slackMarkup.text(text).replaceAll('|', '¦')}>`,
}

/** Escapes characters that start a list, or turn the previous line into a heading. */
const escapeLineStarts = (text: string): string =>
  text.replaceAll(/^([ \t]*)([-+=])/gm, String.raw`$1\$2`).replaceAll(/^([ \t]*\d{1,9})\./gm, String.raw`$1\.`)

const markdown: Markup = {
  text: (text) => escapeLineStarts(printable(text).replaceAll(/[\\`*_{}[\]()#~|<>]/g, String.raw`\$&`)),
  link: (text, url) => `[${markdown.text(text)}](${safeUrl(url)})`,
}

/** Markdown that may contain HTML tags. */
const taggedMarkdown: Markup = {
  text: (text) => escapeLineStarts(escapeTags(printable(text)).replaceAll(/[\\`*_{}[\]()#~|]/g, String.raw`\$&`)),
  link: (text, url) => `[${taggedMarkdown.text(text)}](${safeUrl(url)})`,
}

/** A dialect without escapes for brackets, in which `<` starts tags and mentions. */
const entityMarkdown: Markup = {
  text: (text) =>
    escapeTags(printable(text))
      .replaceAll(/^([ \t]*)#(?=#*(?:[ \t]|$))/gm, '$1&#35;')
      .replaceAll(/[\\`*_[\]]/g, (char) => `&#${char.codePointAt(0)};`),
  link: (text, url) => `[${entityMarkdown.text(text)}](${safeUrl(url)})`,
}

/** No markup: the address follows the text. NOTE: `<at ...>` and `@room` would mention people. */
const plain: Markup = {
  text: (text) => printable(text).replaceAll(/[<@]/g, `$&${BREAK}`),
  link: (text, url) => `${plain.text(text)} (${safeUrl(url)})`,
}

/** Shortens a text to at most `length` characters after escaping. */
function textWithin(markup: Markup, text: string, length: number): string {
  for (let shown = shorten(text, length); ;) {
    const made = markup.text(shown)
    if (made.length <= length) return made
    shown = shorten(shown, Math.max(1, shown.length - Math.ceil((made.length - length) / 2)))
  }
}

const render = (markup: Markup, spans: readonly Span[]): string =>
  spans.map(({ text, url }) => (url ? markup.link(text, url) : markup.text(text))).join('')

/** The part of a webhook that formats use. */
export interface ChatTarget {
  readonly type: string
  readonly url: string
  /** Options of the type, such as the channel of `slack`. */
  readonly settings: Readonly<Record<string, string>>
  /** The secret in plain text; empty if there is none. */
  readonly secret: string
}

type Json = Readonly<Record<string, unknown>>
/** The JSON body for a chat; `at` is the sending time in epoch milliseconds. */
type Format = (message: ChatMessage, target: ChatTarget, at: number) => Json

/** Maximum bytes of text: slightly less than the smallest limit of the chat. */
const MAX_TEXT = {
  telegram: 4000,
  wechatwork: 4000,
  dingtalk: 10_000,
  feishu: 10_000,
  slack: 3000,
  discord: 3500,
} as const
const MAX_PAGE = 20_000

const asLines = (markup: Markup, { items, details }: ChatMessage, separator = '\n'): string =>
  [...items.map((spans) => render(markup, spans)), ...(details === '' ? [] : [markup.text(details)])].join(separator)

const withHead = (markup: Markup, message: ChatMessage, separator = '\n'): string =>
  [render(markup, message.head), asLines(markup, message, separator)].filter((text) => text !== '').join(separator)

const slack: Format = (message, { settings }) => {
  const text = renderWithin(message, MAX_TEXT.slack, (shown) => asLines(slackMarkup, shown))
  const attachment = {
    fallback: slackMarkup.text(plainText(message.head)),
    color: settings['color'] || `#${COLOR_OF[message.tone]}`,
    title: slackMarkup.text(message.title.text),
    title_link: message.title.url ?? '',
    text,
  }
  return {
    channel: settings['channel'] ?? '',
    text: render(slackMarkup, message.head),
    username: settings['username'] ?? '',
    icon_url: settings['icon_url'] ?? '',
    unfurl_links: 0,
    link_names: 0,
    attachments: text === '' ? [] : [attachment],
  }
}

/** NOTE: a mention in an embed does not notify anyone. */
const discord: Format = (message, { settings }) => ({
  wait: false,
  content: '',
  username: settings['username'] ?? '',
  avatar_url: settings['icon_url'] ?? '',
  tts: false,
  embeds: [
    {
      title: textWithin(markdown, plainText(message.head), 256),
      description: renderWithin(message, MAX_TEXT.discord, (shown) => asLines(markdown, shown)),
      url: message.title.url ?? '',
      color: Number.parseInt(COLOR_OF[message.tone], 16),
      footer: { text: '' },
      author: { name: message.author.name, url: message.author.url, icon_url: message.author.avatarUrl },
      fields: [],
    },
  ],
})

const dingtalk: Format = (message) => {
  const title = printable(plainText(message.head))
  return {
    msgtype: 'actionCard',
    actionCard: {
      title,
      text: renderWithin(message, MAX_TEXT.dingtalk, (shown) => withHead(markdown, shown, '\n\n')),
      hideAvatar: '0',
      singleTitle: shorten(printable(message.title.text), 60),
      singleURL: message.title.url ?? message.author.url,
    },
  }
}

const telegram: Format = (message) => ({
  text: renderWithin(message, MAX_TEXT.telegram, (shown) => withHead(html, shown)),
  parse_mode: 'HTML',
  disable_web_page_preview: true,
})

const msteams: Format = (message) => {
  const summary = printable(plainText(message.head))
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: COLOR_OF[message.tone],
    title: taggedMarkdown.text(plainText(message.head)),
    summary,
    sections: [
      {
        activityTitle: taggedMarkdown.text(message.author.name),
        activityImage: message.author.avatarUrl,
        text: renderWithin(message, MAX_PAGE, (shown) => asLines(taggedMarkdown, shown, '\n\n')),
      },
    ],
    potentialAction: message.title.url
      ? [{ '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: message.title.url }] }]
      : [],
  }
}

/** If there is a secret, the chat checks the time and a signature over it. */
const feishu: Format = (message, { secret }, at) => {
  const timestamp = Math.floor(at / 1000)
  const sign = (): string => createHmac('sha256', `${timestamp}\n${secret}`).digest('base64')
  return {
    ...(secret !== '' && { timestamp, sign: sign() }),
    msg_type: 'text',
    content: { text: renderWithin(message, MAX_TEXT.feishu, (shown) => withHead(plain, shown)) },
  }
}

const matrix: Format = (message, { settings }) => ({
  body: renderWithin(message, MAX_PAGE, (shown) => withHead(plain, shown)),
  msgtype: settings['message_type'] === '2' ? 'm.text' : 'm.notice',
  format: 'org.matrix.custom.html',
  formatted_body: renderWithin(message, MAX_PAGE, (shown) => withHead(html, shown).replaceAll('\n', '<br>')),
})

const wechatwork: Format = (message) => ({
  msgtype: 'markdown',
  markdown: { content: renderWithin(message, MAX_TEXT.wechatwork, (shown) => withHead(entityMarkdown, shown)) },
})

/** The formats of chats, by type of webhook (behaviour/orgs-webhooks-actions#chat-and-other-hook-types). */
export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ['slack', slack],
  ['discord', discord],
  ['dingtalk', dingtalk],
  ['telegram', telegram],
  ['msteams', msteams],
  ['feishu', feishu],
  ['matrix', matrix],
  ['wechatwork', wechatwork],
])
