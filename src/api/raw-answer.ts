import type { FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import type { RawFile } from '../domain/code/index.ts'
import { contentDisposition, contentType, etagMatches, INERT, parseRange } from '../platform/http-content.ts'
import { bytes, text, type Answer } from './answer.ts'
import { abortOnLeave } from './stream.ts'

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
    'content-disposition': contentDisposition('inline', name),
    'content-security-policy': INERT,
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=21600, no-transform`,
    'x-gitea-object-type': kind,
    'x-forgejo-object-type': kind,
    ...(file.modified > 0 && { 'last-modified': new Date(file.modified * 1000).toUTCString() }),
  }
}
