import { createHmac } from 'node:crypto'
import { type ChatMessage, COLOR_OF, plainText, renderWithin, shorten } from './chat-message.ts'
import {
  entityMarkdown,
  html,
  type Markup,
  markdown,
  plain,
  printable,
  render,
  slackMarkup,
  taggedMarkdown,
  textWithin,
} from './markup.ts'

/** What of a webhook a format uses. */
export interface ChatTarget {
  readonly type: string
  readonly url: string
  /** Options of the type, such as the channel of `slack`. */
  readonly settings: Readonly<Record<string, string>>
  /** Plain; empty for none. */
  readonly secret: string
}

type Json = Readonly<Record<string, unknown>>
/** The JSON that a chat takes; `at` is when it is sent, in epoch milliseconds. */
type Format = (message: ChatMessage, target: ChatTarget, at: number) => Json

/** Bytes of text: a little less than the smallest limit of the chat itself. */
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

/** NOTE: a mention in an embed notifies no account. */
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

/** With a secret the chat checks the time and a code made of both. */
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
