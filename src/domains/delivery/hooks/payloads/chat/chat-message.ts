/** A piece of text, which is a link when it has an address. Nothing is escaped: each chat escapes what it needs. */
export interface Span {
  readonly text: string
  readonly url?: string
}

export type Tone = 'good' | 'bad' | 'changed' | 'neutral'

/** An event as a short text that chats show, whatever their markup. */
export interface ChatMessage {
  /** One line that says all: repository, what happened, who did it. */
  readonly head: readonly Span[]
  /** What the event is about. */
  readonly title: Span
  /** Lines below, such as commits. */
  readonly items: readonly (readonly Span[])[]
  /** A text that a user wrote, such as a comment; may be empty. */
  readonly details: string
  readonly tone: Tone
  readonly author: { readonly name: string; readonly url: string; readonly avatarUrl: string }
}

/** Colours as red, green and blue, six hexadecimal digits. */
export const COLOR_OF: Readonly<Record<Tone, string>> = {
  good: '1ac600',
  bad: 'ff3232',
  changed: 'ffd930',
  neutral: '1e90ff',
}

export const plainText = (spans: readonly Span[]): string => spans.map(({ text }) => text).join('')

/** The first characters of a text, with an ellipsis where it goes on. Never cuts a character in two. */
export function shorten(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length - 1)
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`
}

export const firstLine = (text: string): string => text.trimStart().split(/\r?\n/, 1)[0]!.trimEnd()

/**
 * Renders a message in at most so many bytes: first it loses its details by halves, then the last lines, then the
 * links.
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
