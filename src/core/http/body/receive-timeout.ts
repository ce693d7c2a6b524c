import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Logger } from '../../platform/logger.ts'
import { hasBody } from '../../platform/http/unread-body.ts'
import { pathOf } from '../request-url.ts'
import { operationOf } from '../routes.ts'

interface Arriving {
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  readonly since: number
  bytes: number
  movedAt: number
}

const MAX_TICK_MS = 5_000
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'

/**
 * Ends connections whose body does not arrive. A body that is buffered has `ms` in all; one
 * that is streamed (git, uploads) may take as long as it likes if some bytes arrive within every `ms`. Node times the
 * headers.
 */
export function limitReceiving(app: FastifyInstance, ms: number, log: Logger): void {
  const arriving = new Map<FastifyRequest, Arriving>()
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request
    const now = performance.now()
    if (hasBody(raw))
      arriving.set(request, { raw, response: reply.raw, since: now, bytes: raw.socket.bytesRead, movedAt: now })
    done()
  })
  // NOTE: the timer covers all requests, because requests that it holds live for seconds and cost garbage collection.
  app.addHook('onResponse', (request, _, done) => {
    if (request.raw.complete) arriving.delete(request)
    done()
  })
  const timer = setInterval(
    () => {
      const now = performance.now()
      for (const [request, one] of arriving) {
        if (one.raw.complete || one.raw.destroyed) arriving.delete(request)
        else if (isTooSlow(request, one, { now, ms })) {
          arriving.delete(request)
          log.info(
            { request: request.id, path: pathOf(request) },
            'ended a connection whose body did not arrive in time',
          )
          endSlow(one)
        }
      }
    },
    Math.min(ms / 4, MAX_TICK_MS),
  )
  timer.unref()
  app.addHook('onClose', (_, done) => {
    clearInterval(timer)
    done()
  })
}

/** Ends the connection of a slow body, with 408 if no response was sent yet. */
export function endSlow({ raw, response }: Pick<Arriving, 'raw' | 'response'>): void {
  if (!response.headersSent) raw.socket.write(TOO_SLOW)
  raw.socket.destroySoon()
}

function isTooSlow(
  request: FastifyRequest,
  one: Arriving,
  { now, ms }: { readonly now: number; readonly ms: number },
): boolean {
  const operation = operationOf(request)
  if (operation !== undefined && operation.bodyKind !== 'stream')
    return now - (request.state.receivingSince ?? one.since) > ms
  const { socket, readableLength } = one.raw
  // NOTE: received but unread bytes wait for the server, not for the client.
  if (socket.bytesRead > one.bytes || readableLength > 0 || socket.isPaused()) {
    one.bytes = socket.bytesRead
    one.movedAt = now
  }
  return now - one.movedAt > ms
}
