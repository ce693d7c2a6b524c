import { buffer } from 'node:stream/consumers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errors } from '../../errors.ts'
import {
  contentDisposition,
  contentType,
  etagMatches,
  SANDBOX_CSP,
  requestedRange,
} from '../../../core/platform/http/media-type.ts'
import type { Attachment } from './attachment.store.ts'
import type { Attachments } from './attachments.service.ts'

/** The number of bytes from which the media type is detected. */
const SNIFF_BYTES = 1024
const CACHE = 'max-age=0, private, must-revalidate, no-transform'

type FileReads = Pick<Attachments, 'countDownload' | 'directLink' | 'open'>

/** Sends the bytes of a file or a range of them; redirects for links. Callers check permissions. */
export async function serveAttachment(
  attachments: FileReads,
  file: Attachment,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (file.externalUrl !== '') return reply.code(302).header('location', file.externalUrl).send()
  const head = await firstBytes(attachments, file)
  const etag = `"${file.uuid}"`
  void reply.headers({
    'accept-ranges': 'bytes',
    'cache-control': CACHE,
    'content-disposition': contentDisposition('inline', file.name),
    'content-security-policy': SANDBOX_CSP,
    'content-type': contentType(file.name, head),
    'last-modified': new Date(file.createdAt).toUTCString(),
    'x-content-type-options': 'nosniff',
    etag,
  })
  if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
  const link = request.method === 'HEAD' ? undefined : await linkOf(attachments, file, head)
  if (link !== undefined) {
    await attachments.countDownload(file)
    return reply.code(302).headers({ location: link, 'cache-control': 'no-store' }).removeHeader('etag').send()
  }
  const range = requestedRange(request.headers, { size: file.size, etag })
  if (range === 'bad')
    return reply
      .code(416)
      .header('content-range', `bytes */${file.size}`)
      .type('text/plain; charset=utf-8')
      .send('invalid range\n')
  if (range !== undefined)
    void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`)
  void reply.header('content-length', String(range === undefined ? file.size : range.end - range.start + 1))
  if (request.method === 'HEAD') return reply.send()
  const body = await attachments.open(file, range)
  if (body === undefined) throw errors.attachmentBytesMissing()
  // Several range requests are counted as one download.
  if (range === undefined || range.start === 0) await attachments.countDownload(file)
  return reply.send(body)
}

/**
 * Makes browsers save the file instead of showing it: the object store sends no policy that prevents a browser from
 * running an image.
 */
const linkOf = (attachments: FileReads, file: Attachment, head: Buffer): Promise<string | undefined> =>
  attachments.directLink(file, {
    contentType: contentType(file.name, head),
    contentDisposition: contentDisposition('attachment', file.name),
  })

async function firstBytes(attachments: FileReads, file: Attachment): Promise<Buffer> {
  if (file.size === 0) return Buffer.alloc(0)
  const stream = await attachments.open(file, { start: 0, end: Math.min(SNIFF_BYTES, file.size) - 1 })
  if (stream === undefined) throw errors.attachmentBytesMissing()
  return buffer(stream)
}
