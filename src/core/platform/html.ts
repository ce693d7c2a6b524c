/** Text that is HTML already. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | readonly Html[]

/**
 * Escapes every value that is put in, in text and in quoted attributes alike, unless it is Html. NOTE: formatters
 * rewrite templates with the tag `html`, and a page must keep its text: its policy has the hash of its style.
 */
export function safeHtml(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? render(values[index]!) : '')).join(''))
}

function render(value: Value): string {
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map((item) => item.text).join('')
  return escapeHtml(String(value)).replaceAll("'", '&#39;')
}

/** Escapes text for elements and for attributes in double quotes. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s]+$/i.test(text) && URL.canParse(text)
