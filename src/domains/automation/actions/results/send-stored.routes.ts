import type { FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../../../core/platform/errors.ts'
import {
  contentDisposition,
  etagMatches,
  requestedRange,
  SANDBOX_CSP,
} from '../../../../core/platform/http/media-type.ts'
import type { StoredBytes } from '../stored-blocks/stored-bytes.ts'

export interface StoredFile {
  readonly hash: string
  /** Identifies the bytes; the hash when undefined. */
  readonly etag?: string
  /** Bytes. */
  readonly size: number
  readonly fileName: string
  readonly type: string
  /** The content encoding, or empty. */
  readonly encoding?: string
}

/** Sends a file, one range of it, or a redirect to the object store; 304 when the client has the file. */
export async function sendStored(
  stored: StoredBytes,
  { hash, etag: validator = hash, size, fileName, type, encoding = '' }: StoredFile,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const disposition = contentDisposition('attachment', fileName)
  const link =
    encoding === '' ? await stored.link(hash, { contentType: type, contentDisposition: disposition }) : undefined
  if (link !== undefined) return void reply.code(302).headers({ location: link, 'cache-control': 'no-store' }).send()
  const etag = `"${validator}"`
  void reply.headers({
    'accept-ranges': 'bytes',
    'content-disposition': disposition,
    'content-security-policy': SANDBOX_CSP,
    'x-content-type-options': 'nosniff',
    etag,
    ...(encoding !== '' && { 'content-encoding': encoding }),
  })
  if (etagMatches(request.headers['if-none-match'], etag)) return void reply.code(304).send()
  const range = requestedRange(request.headers, { size, etag })
  if (range === 'bad') return void reply.code(416).header('content-range', `bytes */${size}`).send()
  const isHead = request.method === 'HEAD'
  const body = isHead ? undefined : await stored.open(hash, range)
  if (body === undefined && !isHead) throw notFound('the bytes of the file are missing')
  if (range !== undefined) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`)
  void reply.type(type).header('content-length', String(range ? range.end - range.start + 1 : size))
  // NOTE: a reply is a promise that resolves at its end: the caller must not await it and reply again.
  void reply.send(body)
}
