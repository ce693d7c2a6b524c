/**
 * Parses three or six hexadecimal digits, with or without `#`. Returns six lower-case digits, or undefined if the text
 * is not a colour.
 */
export function readColor(text: string): string | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text.trim().toLowerCase())?.[1]
  if (digits === undefined) return undefined
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
}

/**
 * The name up to the last slash: an issue has at most one exclusive label of each scope. Returns undefined for labels
 * that are not exclusive and for names whose last slash is the first or the last character (behaviour/issues#labels).
 */
export function exclusiveScope({
  name,
  isExclusive,
}: {
  readonly name: string
  readonly isExclusive: boolean
}): string | undefined {
  const slash = name.lastIndexOf('/')
  return isExclusive && slash > 0 && slash < name.length - 1 ? name.slice(0, slash) : undefined
}
