import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Exchange, type GitRepo, WireError } from '../../../core/git/index.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { NO_CACHE } from './headers.ts'
import { Refusal } from './refusal.ts'

/** Serves one POST of a git client: body in, answer out, both streamed at the speed of the slower side. */
export async function transfer(
  request: FastifyRequest,
  reply: FastifyReply,
  { repo, service, log }: { readonly repo: GitRepo; readonly service: string; readonly log: Logger },
  serve: (exchange: Exchange) => Promise<void>,
): Promise<void> {
  const input = inflate(request)
  const gone = new AbortController()
  const output = reply.raw
  output.on('close', () => gone.abort())
  output.on('error', () => gone.abort())
  const cors = Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]))
  reply.hijack()
  output.writeHead(200, { ...cors, ...NO_CACHE, 'content-type': `application/x-${service}-result` })
  try {
    await serve({ repo, input, output, protocol: gitProtocol(request), signal: gone.signal })
    output.end()
  } catch (error) {
    const wasAnswered = error instanceof WireError && (error.kind === 'protocol' || error.kind === 'refused')
    if (!(error instanceof WireError)) log.error({ err: error, request: request.id }, 'git transfer failed')
    else log.info({ request: request.id, kind: error.kind, reason: error.message }, 'git transfer ended early')
    if (wasAnswered) output.end()
    else output.destroy()
  } finally {
    if (input !== request.raw) input.destroy()
  }
}

export function gitProtocol(request: FastifyRequest): string | undefined {
  const value = request.headers['git-protocol']
  return Array.isArray(value) ? value[0] : value
}

function inflate(request: FastifyRequest): Readable {
  const encoding = (request.headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return request.raw
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new Refusal(415, `Content-Encoding ${encoding} is not supported`)
  const inflated = createGunzip()
  // NOTE: a broken body fails the reader of the inflated side; a pipeline would also destroy the request, whose rest
  // has to be read before the next one comes.
  request.raw.on('error', (error) => inflated.destroy(error)).pipe(inflated)
  return inflated
}
