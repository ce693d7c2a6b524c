/** True when the client already has the representation of this tag (RFC 9110 §13.1.2, weak comparison). */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const plain = (tag: string): string => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => tag.trim() === '*' || plain(tag) === plain(etag))
}
