/**
 * The HTTP properties of bytes: names, types, ranges, validators (RFC 6266, 9110). Pure, for every transport that
 * serves files.
 */

const MEDIA: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  bmp: 'image/bmp',
  ico: 'image/x-icon',
  svg: 'image/svg+xml',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  pdf: 'application/pdf',
}

/** Prevents browsers from running uploads of users. */
export const SANDBOX_CSP = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

/**
 * Any text is plain text, media have their type, other files are bytes. `head` are the first bytes of the file.
 */
export function contentType(name: string, head: Buffer): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const media = Object.hasOwn(MEDIA, extension) ? MEDIA[extension] : undefined
  if (media !== undefined && (extension === 'svg' || !isText(head) || head.length === 0)) return media
  if (!isText(head)) return 'application/octet-stream'
  return `text/plain; charset=${isUtf8(head) ? 'utf-8' : 'iso-8859-1'}`
}

/** The header for a file of this name, whatever characters are in it. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, '_')}"; filename*=UTF-8''${encoded}`
}

/** True when the client already has the representation of this tag (RFC 9110 §13.1.2, weak comparison). */
export function etagMatches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const plain = (tag: string): string => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => tag.trim() === '*' || plain(tag) === plain(etag))
}

/** Both ends included. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** One range of bytes; several ranges or an invalid syntax return the whole file. */
export function parseRange(header: string | undefined, size: number): ByteRange | 'bad' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const suffix = match[1] === ''
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = suffix || match[2] === '' ? size - 1 : Math.min(size - 1, Number(match[2]))
  return start >= size || start > end ? 'bad' : { start, end }
}

interface RangeHeaders {
  readonly range?: string | undefined
  readonly 'if-range'?: string | string[] | undefined
}

/** The range that a request asks for; none if its If-Range names another content (RFC 9110 §13.1.5). */
export const requestedRange = (
  { range, 'if-range': condition }: RangeHeaders,
  { size, etag }: { readonly size: number; readonly etag?: string },
): ByteRange | 'bad' | undefined =>
  condition === undefined || condition === etag ? parseRange(range, size) : undefined

/** True when there are no bytes that no text has (WHATWG MIME Sniffing §3, binary data bytes). */
// oxlint-disable-next-line no-control-regex
export const isText = (head: Buffer): boolean => !/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(head.toString('latin1'))

function isUtf8(head: Buffer): boolean {
  // The sample may end inside a character: up to three bytes are ignored.
  for (let cut = 0; cut < 4; cut++) {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(head.subarray(0, head.length - cut))
      return true
    } catch {
      // Try without one more byte.
    }
  }
  return false
}

const SIGNS: readonly (readonly [type: string, bytes: string, at?: number])[] = [
  ['image/png', '89504e470d0a1a0a'],
  ['image/jpeg', 'ffd8ff'],
  ['image/gif', '47494638'],
  ['image/webp', '57454250', 8],
  ['image/bmp', '424d'],
  ['image/avif', '66747970617669', 4],
  ['video/mp4', '66747970', 4],
  ['video/webm', '1a45dfa3'],
  ['audio/mpeg', '494433'],
  ['audio/wave', '57415645', 8],
  ['application/ogg', '4f676753'],
  ['application/pdf', '255044462d'],
  ['application/zip', '504b0304'],
  ['application/x-gzip', '1f8b08'],
  ['application/x-7z-compressed', '377abcaf271c'],
  ['application/x-rar-compressed', '526172211a07'],
]

/** The media type that the first bytes of a file show: its signature, else text or plain bytes. */
export function sniffMediaType(head: Buffer): string {
  const found = SIGNS.find(([, bytes, at = 0]) => head.subarray(at, at + bytes.length / 2).toString('hex') === bytes)
  if (found) return found[0]
  if (!isText(head.subarray(0, 512))) return 'application/octet-stream'
  return /^\s*(?:<!doctype html|<html|<head|<body|<script)/i.test(head.toString('latin1', 0, 512))
    ? 'text/html'
    : 'text/plain'
}
