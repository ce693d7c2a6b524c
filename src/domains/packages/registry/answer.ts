import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentDisposition, etagMatches, requestedRange, SANDBOX_CSP } from '../../../core/platform/http/media-type.ts'
import type { PackageContents } from '../packages/package-contents.service.ts'
import type { FormatAnswer } from './format.ts'

type FileAnswer = Extract<FormatAnswer, { file: unknown }>
type TextAnswer = Exclude<FormatAnswer, FileAnswer>

const BYTES = 'application/octet-stream'

export function sendAnswer(
  contents: PackageContents,
  answer: FormatAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return 'file' in answer ? sendFile(contents, answer, request, reply) : sendText(answer, request, reply)
}

async function sendText(
  { status, headers = {}, body, type, etag }: TextAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  void reply.code(status).headers(headers)
  if (etag !== undefined) {
    void reply.header('etag', `"${etag}"`)
    if (etagMatches(request.headers['if-none-match'], `"${etag}"`)) return reply.code(304).send()
  }
  if (body === undefined) return reply.send()
  const isValue = typeof body === 'object' && !Buffer.isBuffer(body)
  // NOTE: to the type of a text Fastify would add a charset, which types of OCI must not have.
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(isValue ? JSON.stringify(body) : body)
  void reply.header('x-content-type-options', 'nosniff')
  void reply.type(type ?? (isValue ? 'application/json;charset=utf-8' : 'text/plain;charset=utf-8'))
  return reply.send(bytes)
}

/** Sends a file or one range of it. A request with several ranges gets the whole file (RFC 9110 §14.2). */
async function sendFile(
  contents: PackageContents,
  { file, name = file.name, type = BYTES, headers = {} }: FileAnswer,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const modified = file.created_at === undefined ? undefined : new Date(Math.floor(file.created_at / 1000) * 1000)
  const fileName = name.slice(name.lastIndexOf('/') + 1)
  void reply.headers({
    'accept-ranges': 'bytes',
    'content-disposition': contentDisposition('attachment', fileName),
    'content-security-policy': SANDBOX_CSP,
    ...(modified && { 'last-modified': modified.toUTCString() }),
    'x-content-type-options': 'nosniff',
    etag,
    ...headers,
  })
  if (isUnmodified(request, etag, modified)) return reply.code(304).send()
  const link =
    request.method === 'HEAD'
      ? undefined
      : await contents.link(file, { contentType: type, contentDisposition: contentDisposition('attachment', fileName) })
  if (link !== undefined) {
    await countDownload(contents, file)
    return reply.code(302).headers({ location: link, 'cache-control': 'no-store' }).removeHeader('etag').send()
  }
  const range = requestedRange(request.headers, { size: file.size, etag })
  if (range === 'bad') return reply.code(416).header('content-range', `bytes */${file.size}`).send('invalid range\n')
  if (range !== undefined)
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
  void reply.type(type).header('content-length', String(range ? range.end - range.start + 1 : file.size))
  if (request.method === 'HEAD') return reply.send()
  const body = await contents.open(file, range)
  // Several range requests are counted as one download.
  if (range === undefined || range.start === 0) await countDownload(contents, file)
  return reply.send(body)
}

const countDownload = async (contents: PackageContents, { version_id: id }: FileAnswer['file']): Promise<void> => {
  if (id !== undefined) await contents.countDownload({ version_id: id })
}

/** If-None-Match takes precedence over If-Modified-Since (RFC 9110 §13.1.3). */
function isUnmodified({ headers }: FastifyRequest, etag: string, modified: Date | undefined): boolean {
  const noneMatch = headers['if-none-match']
  if (noneMatch !== undefined) return etagMatches(noneMatch, etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return modified !== undefined && !Number.isNaN(since) && modified.getTime() <= since
}
