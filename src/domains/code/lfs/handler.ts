import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorKind, isDomainError } from '../../../core/platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../../core/platform/files/out-of-space.ts'
import { endsConnection } from '../../../core/platform/http/unread-body.ts'

/** The media type of all requests except file content and locks (git-lfs specification, Batch API). */
export const LFS_TYPE = 'application/vnd.git-lfs+json'

/** An error response. Objects use `Message`, locks use `message` (behaviour/git-data-and-transport#git-lfs). */
export class LfsRefusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.name = 'LfsRefusal'
    this.status = status
    this.headers = headers
  }
}

export const unauthorized = (text = 'Unauthorized'): LfsRefusal =>
  new LfsRefusal(401, text, { 'www-authenticate': 'Basic realm="gitea-lfs"' })

export type LfsHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** The body and media type of the errors of an endpoint. */
export const OBJECTS = { type: LFS_TYPE, body: (text: string) => ({ Message: text }) } as const
export const LOCKS = { type: 'application/json;charset=utf-8', body: (text: string) => ({ message: text }) } as const
export type LfsStyle = typeof OBJECTS | typeof LOCKS

const STATUS: Partial<Record<ErrorKind, number>> = {
  'bad-request': 400,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'quota-exceeded': 413,
  invalid: 422,
  unavailable: 503,
}

/**
 * Sends the result of the handler as JSON, and its refusals in the style of the endpoint; a handler that sent the reply
 * itself returns nothing.
 */
export function answering(style: LfsStyle, handler: LfsHandler): LfsHandler {
  return async (request, reply) => {
    try {
      const body = await handler(request, reply)
      if (body === undefined) return reply
      return await reply.type(style.type).send(JSON.stringify(body))
    } catch (error) {
      const status =
        error instanceof LfsRefusal
          ? error.status
          : isDomainError(error)
            ? STATUS[error.kind]
            : isOutOfSpace(error)
              ? 507
              : undefined
      if (status === undefined) throw error
      if (status === 507) request.log.error({ request: request.id, err: error }, 'no room left on the disk')
      const headers = error instanceof LfsRefusal ? error.headers : {}
      if (endsConnection(request.raw)) void reply.header('connection', 'close')
      return reply
        .code(status)
        .headers(headers)
        .type(style.type)
        .send(JSON.stringify(style.body(status === 507 ? OUT_OF_SPACE : (error as Error).message)))
    }
  }
}

/** Batch, verify and locks accept only requests with the LFS type in `Accept`. */
export function requireLfsType(request: FastifyRequest): void {
  const accepted = (request.headers.accept ?? '').split(';', 1)[0]!.trim()
  if (!accepted.startsWith(LFS_TYPE)) throw new LfsRefusal(415, `Accept must be ${LFS_TYPE}`)
}

const MAX_BODY = 4 * 1024 * 1024

/**
 * The JSON object of a request with lower-case member names: they match in any case. Throws LfsRefusal with the status
 * of the endpoint if the body is not a JSON object.
 */
export async function readJson(request: FastifyRequest, wrong: 400 | 422 = 400): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.raw as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY) throw new LfsRefusal(413, 'the request is too large')
    chunks.push(chunk)
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return lowered(value)
  } catch {
    // The error below contains the message.
  }
  throw new LfsRefusal(wrong, 'the body is not a JSON object')
}

const lowered = (value: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toLowerCase(), plain(member)]))

const plain = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(plain) : value !== null && typeof value === 'object' ? lowered(value) : value
