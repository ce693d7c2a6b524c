import type { FastifyReply, FastifyRequest } from 'fastify'
import { badRequest, type ErrorKind, isDomainError, tooLarge } from '../../../../core/platform/errors.ts'
import { isOutOfSpace, OUT_OF_SPACE } from '../../../../core/platform/files/out-of-space.ts'
import { endsConnection } from '../../../../core/platform/http/unread-body.ts'

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** HTTP status and code of the Twirp specification. */
const STATUS: Partial<Record<ErrorKind, readonly [status: number, code: string]>> = {
  'bad-request': [400, 'invalid_argument'],
  invalid: [400, 'invalid_argument'],
  unauthenticated: [401, 'unauthenticated'],
  forbidden: [403, 'permission_denied'],
  'not-found': [404, 'not_found'],
  conflict: [409, 'already_exists'],
  'too-large': [413, 'out_of_range'],
  'quota-exceeded': [413, 'resource_exhausted'],
  unavailable: [503, 'unavailable'],
}

/**
 * Sends the result of the handler as JSON, and errors in the form of Twirp, with `message` for the older clients; a
 * handler that sent the reply itself returns nothing.
 */
export const answering =
  (handler: Handler): Handler =>
  async (request, reply) => {
    try {
      const body = await handler(request, reply)
      if (body === undefined) return reply
      return await sendJson(reply, body)
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal === undefined) throw error
      const { status, code, message } = refusal
      if (status === 507) request.log.error({ request: request.id, err: error }, 'no room left on the disk')
      if (endsConnection(request.raw)) void reply.header('connection', 'close')
      return sendJson(reply.code(status), { code, msg: message, message })
    }
  }

const sendJson = (reply: FastifyReply, body: unknown): FastifyReply =>
  reply
    .header('x-content-type-options', 'nosniff')
    .type('application/json')
    .send(Buffer.from(JSON.stringify(body)))

function refusalOf(error: unknown): { status: number; code: string; message: string } | undefined {
  if (isOutOfSpace(error)) return { status: 507, code: 'resource_exhausted', message: OUT_OF_SPACE }
  if (!isDomainError(error)) return undefined
  const [status, code] = STATUS[error.kind] ?? []
  return status === undefined ? undefined : { status, code: code!, message: error.message }
}

/** Reads a body of at most this many bytes. Throws TooLarge. */
export async function readBytes(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.raw as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge(`the body has at most ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const MAX_JSON = 1024 * 1024

/** The same for `snake_case` and `camelCase`. */
const plainName = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** The members of a JSON body. Throws BadRequest for another body. */
export async function readMembers(request: FastifyRequest): Promise<Members> {
  let value: unknown
  try {
    value = JSON.parse((await readBytes(request, MAX_JSON)).toString() || '{}')
  } catch (error) {
    if (isDomainError(error)) throw error
  }
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw badRequest('the body is not a JSON object')
  return new Members(new Map(Object.entries(value).map(([name, member]) => [plainName(name), member])))
}

/** Typed access to the members of a request, as protobuf writes them in JSON. Unknown members are ignored. */
export class Members {
  readonly #values: ReadonlyMap<string, unknown>

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values
  }

  /** Undefined when absent or null; a wrapper `{value}` counts as its value. */
  #find(name: string): unknown {
    const value = this.#values.get(plainName(name))
    if (value === null || value === undefined) return undefined
    return typeof value === 'object' && 'value' in value ? value.value : value
  }

  /** Throws BadRequest for another type or a longer text. */
  text(name: string, maxLength: number): string | undefined {
    const value = this.#find(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value.length > maxLength)
      throw badRequest(`[${name}]: a text of at most ${maxLength} characters`)
    return value
  }

  /** A non-negative integer, as a number or a text. Throws BadRequest for another value. */
  integer(name: string): number | undefined {
    const value = this.#find(name)
    if (value === undefined) return undefined
    const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
    if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0)
      throw badRequest(`[${name}]: an integer`)
    return number
  }

  /** Throws BadRequest for anything but a short list of texts. */
  texts(name: string, { maxItems, maxLength }: { readonly maxItems: number; readonly maxLength: number }): string[] {
    const value = this.#find(name) ?? []
    if (!Array.isArray(value) || value.length > maxItems) throw badRequest(`[${name}]: at most ${maxItems} texts`)
    if (value.some((item) => typeof item !== 'string' || item.length > maxLength))
      throw badRequest(`[${name}]: texts of at most ${maxLength} characters`)
    return value as string[]
  }
}
