import type { FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { RawFile } from '../domain/code/index.ts'
import { bytes, text, type Answer } from './answer.ts'
import { etagMatches } from './conditional.ts'
import { abortOnLeave } from './stream.ts'

const SAFE: Readonly<Record<string, string>> = {
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

/** A file's bytes: text as plain text whatever it is, media by their kind, all else as bytes (reference git-data §10). */
export async function rawAnswer(file: RawFile, request: FastifyRequest, isPublic: boolean): Promise<Answer> {
  const etag = `"${file.oid}"`
  const headers = { ...rawHeaders(file, isPublic), etag }
  if (etagMatches(request.headers['if-none-match'], etag)) return { status: 304, headers }
  const range = parseRange(request.headers.range, file.size)
  if (range === 'bad') return { ...text('invalid start range\n', 'text/plain; charset=utf-8', 416), headers: { 'content-type': 'text/plain; charset=utf-8', 'content-range': `bytes */${file.size}` } }
  const window = range ?? { start: 0, end: file.size - 1 }
  const length = window.end - window.start + 1
  const partial: Record<string, string> = range === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${file.size}` }
  const isHead = request.method === 'HEAD'
  const body = isHead ? Readable.from([]) : await file.body(window, abortOnLeave(request))
  return bytes(body, { ...headers, ...partial, 'accept-ranges': 'bytes', 'content-length': String(length) }, range === undefined ? 200 : 206)
}

function rawHeaders(file: RawFile, isPublic: boolean): Record<string, string> {
  const kind = file.isSymlink ? 'symlink' : 'file'
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  return {
    'content-type': contentType(name, file.head),
    'content-disposition': `inline; filename="${name.replaceAll(/[^\x20-\x7e]|["\\]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=21600, no-transform`,
    'x-gitea-object-type': kind,
    'x-forgejo-object-type': kind,
    ...(file.modified > 0 && { 'last-modified': new Date(file.modified * 1000).toUTCString() }),
  }
}

export function contentType(name: string, head: Buffer): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const media = SAFE[extension]
  if (media !== undefined && (extension === 'svg' || !isText(head) || head.length === 0)) return media
  if (!isText(head)) return 'application/octet-stream'
  return `text/plain; charset=${isUtf8(head) ? 'utf-8' : 'iso-8859-1'}`
}

/** git's own rule: text holds no NUL in its beginning. */
const isText = (head: Buffer): boolean => !head.includes(0)

function isUtf8(head: Buffer): boolean {
  // The sample may end inside a character: up to three bytes are left out.
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

/** One range of bytes; several, or a syntax that is none, are answered with the whole file. */
function parseRange(header: string | undefined, size: number): { start: number; end: number } | 'bad' | undefined {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return undefined
  const suffix = match[1] === ''
  const start = suffix ? Math.max(0, size - Number(match[2])) : Number(match[1])
  const end = suffix || match[2] === '' ? size - 1 : Math.min(size - 1, Number(match[2]))
  return start >= size || start > end ? 'bad' : { start, end }
}
