import type { FastifyReply, FastifyRequest } from 'fastify'
import { rateLimitKeyOf, type Viewer } from '../access/viewer.ts'
import { clientNetwork } from '../platform/http/client-network.ts'
import type { Logger } from '../platform/logger.ts'
import { type Paging, type PagingLimits, parsePaging } from '../platform/paging.ts'
import { abortOnClose } from './answer/stream.ts'
import type { ConditionalHeaders } from './answer/answer.ts'
import type { Fields } from './body/form.ts'
import { readBody } from './body/read-body.ts'
import { receiveUpload, type Sent, type UploadForm } from './body/upload.ts'
import type { Reauthorization, AnyContext, Context } from './operation.ts'
import type { Authorized } from './request-state.ts'

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  reauthorizationOf(authorized: Authorized, request: FastifyRequest): Reauthorization<unknown>
}

/** The context for the handler of an operation: query and body are decoded by its schemas. Throws Invalid. */
export async function createContext(
  authorized: Authorized,
  exchange: Exchange,
  limits: PagingLimits,
): Promise<AnyContext> {
  const { operation } = authorized
  const body = operation.body === undefined ? undefined : await readBody(operation, exchange.request)
  return new RequestContext(authorized, exchange, { body, limits }) as unknown as AnyContext
}

/** NOTE: a class with getters, so that rarely used members cost nothing. */
class RequestContext implements Context<unknown, unknown, unknown, unknown> {
  readonly viewer: Viewer
  readonly access: unknown
  readonly params: unknown
  readonly query: unknown
  readonly body: unknown
  readonly paging: Paging
  readonly headers: ConditionalHeaders
  readonly #authorized: Authorized
  readonly #exchange: Exchange
  #signal: AbortSignal | undefined

  constructor(
    authorized: Authorized,
    exchange: Exchange,
    { body, limits }: { readonly body: unknown; readonly limits: PagingLimits },
  ) {
    const { operation, params, viewer, access } = authorized
    const { request } = exchange
    const query = request.query as Fields
    this.viewer = viewer
    this.access = access
    this.params = operation.readParams(params)
    this.query = operation.queryDecoder?.fields(query)
    this.body = body
    this.paging = parsePaging(first(query['page']), first(query['limit']), limits)
    this.headers = request.headers
    this.#authorized = authorized
    this.#exchange = exchange
  }

  get signal(): AbortSignal {
    return (this.#signal ??= abortOnClose(this.#exchange.reply))
  }

  get reauthorization(): Reauthorization<unknown> {
    return this.#exchange.reauthorizationOf(this.#authorized, this.#exchange.request)
  }

  get network(): string {
    return clientNetwork(this.#exchange.request.ip)
  }

  get rateLimitKey(): string {
    return rateLimitKeyOf(this.viewer, this.#exchange.request.ip)
  }

  get log(): Logger {
    const { request } = this.#exchange
    return (request.log as unknown as Logger).child({ request: request.id })
  }

  get upload() {
    return <T>(form: UploadForm, take: (sent: Sent) => Promise<T>): Promise<T> =>
      receiveUpload(this.#exchange, form, take)
  }
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
