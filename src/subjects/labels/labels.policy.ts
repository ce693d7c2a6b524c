/**
 * A colour as it is stored: six lower-case hexadecimal digits. Undefined for what is none: it takes three or six
 * digits, with or without `#`.
 */
export function readColor(text: string): string | undefined {
  const digits = /^#?([0-9a-f]{3}|[0-9a-f]{6})$/.exec(text.trim().toLowerCase())?.[1]
  if (digits === undefined) return undefined
  return digits.length === 6 ? digits : digits.replaceAll(/./g, '$&$&')
}

/**
 * Of the labels of a scope an issue has at most one. The scope is the name up to the last slash; undefined for labels
 * that are not exclusive, and for names whose only slash is their first or last character (reference issues §8).
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
