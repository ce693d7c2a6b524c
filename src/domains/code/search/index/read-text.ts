import { isUtf8 } from 'node:buffer'

/** The text of a file; undefined for a binary one. Bytes that are not UTF-8 are read as Latin-1. */
export function readText(content: Buffer): string | undefined {
  // NOTE: PostgreSQL stores no NUL.
  if (content.includes(0)) return undefined
  return content.toString(isUtf8(content) ? 'utf8' : 'latin1')
}
