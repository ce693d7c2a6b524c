import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../platform/logger.ts'
import { type PagingLimits, parsePaging } from '../platform/paging.ts'
import type { Fields } from './form.ts'
import type { AnyContext, Context } from './operation.ts'
import { readBody } from './read-body.ts'
import type { Admitted } from './request-state.ts'
import { abortOnClose } from './stream.ts'
import { receiveUpload, type UploadReader } from './upload.ts'

type Made = Context<unknown, unknown, unknown, unknown> & { readonly upload: UploadReader }

/** What the handler of an operation gets: query and body are read by its schemas. Throws Invalid. */
export async function createContext(
  { operation, params, viewer, access }: Admitted,
  { request, reply, limits }: { request: FastifyRequest; reply: FastifyReply; limits: PagingLimits },
): Promise<AnyContext> {
  const query = request.query as Fields
  let signal: AbortSignal | undefined
  const context: Made = {
    viewer,
    access,
    params: operation.readParams(params),
    query: operation.queryDecoder?.fields(query),
    body: await readBody(operation, request),
    paging: parsePaging(first(query['page']), first(query['limit']), limits),
    get signal() {
      return (signal ??= abortOnClose(reply))
    },
    headers: request.headers,
    log: request.log as unknown as Logger,
    upload: (form, take) => receiveUpload({ request, reply }, form, take),
  }
  return context as unknown as AnyContext
}

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
