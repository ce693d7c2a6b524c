/** A piece of text; it is a link if it has an address. The text is not escaped: each chat format escapes it. */
export interface Span {
  readonly text: string
  readonly url?: string
}

export type Tone = 'good' | 'bad' | 'changed' | 'neutral'

/** An event as a short text for chats with any markup. */
export interface ChatMessage {
  /** One line with the whole content: repository, change and actor. */
  readonly head: readonly Span[]
  /** The object of the event. */
  readonly title: Span
  /** Additional lines, such as commits. */
  readonly items: readonly (readonly Span[])[]
  /** A text of a user, such as a comment; may be empty. */
  readonly details: string
  readonly tone: Tone
  readonly author: { readonly name: string; readonly url: string; readonly avatarUrl: string }
}

/** Colours as RGB, six hexadecimal digits. */
export const COLOR_OF: Readonly<Record<Tone, string>> = {
  good: '1ac600',
  bad: 'ff3232',
  changed: 'ffd930',
  neutral: '1e90ff',
}

export const plainText = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('')

/** The first characters of a text, with an ellipsis if it is longer. Never splits a character. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

export const firstLine = (text: string): string => text.trimStart().split(/\r?\n/, 1)[0]!.trimEnd()

/**
 * Renders a message in at most `maxBytes` bytes: first halves its details repeatedly, then drops the last lines, then
 * the links.
 */
export function renderWithin(message: ChatMessage, maxBytes: number, render: (message: ChatMessage) => string): string {
  let shown = message
  for (;;) {
    const text = render(shown)
    const next = Buffer.byteLength(text) > maxBytes ? lessOf(shown) : undefined
    if (next === undefined) return text
    shown = next
  }
}

function lessOf(message: ChatMessage): ChatMessage | undefined {
  const { details, items, head } = message
  if (details !== '') return { ...message, details: details.length < 20 ? '' : shorten(details, details.length >> 1) }
  if (items.length > 0) return { ...message, items: items.slice(0, -1) }
  return head.some(({ url }) => url !== undefined) ? { ...message, head: [{ text: plainText(head) }] } : undefined
}
