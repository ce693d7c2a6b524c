import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { etagMatches } from '../../platform/http/content.ts'
import type { Answer } from './answer.ts'
import { weakTag } from './conditional.ts'

const JSON_TYPE = 'application/json;charset=utf-8'
const CACHE = 'max-age=0, private, must-revalidate, no-transform'

/** Writes an answer with the headers every API response has (behaviour/auth-and-access#response-conventions). */
export function send(reply: FastifyReply, answer: Answer): FastifyReply {
  reply.code(answer.status).header('x-content-type-options', 'nosniff').header('x-request-id', reply.request.id)
  if (answer.headers) reply.headers(answer.headers)
  const { body } = answer
  if (body === undefined) return reply.send()
  if (body instanceof Readable || body instanceof Uint8Array) return reply.send(body)
  const bytes = lineOf(JSON.stringify(body))
  if (reply.request.method === 'GET' && answer.status === 200) {
    const etag = answer.headers?.['etag'] ?? weakTag(bytes, answer.total)
    reply.header('etag', etag)
    if (etagMatches(reply.request.headers['if-none-match'], etag))
      return reply.code(304).header('cache-control', CACHE).send()
  }
  return reply.header('content-type', JSON_TYPE).header('cache-control', CACHE).send(bytes)
}

/**
 * Characters. NOTE: Node writes a short text together with the headers in one piece. A long one is made bytes once,
 * for the tag, the length and the socket: each would do it again with a text.
 */
const MAX_TEXT = 8192

const lineOf = (text: string): string | Buffer => (text.length < MAX_TEXT ? `${text}\n` : Buffer.from(`${text}\n`))
