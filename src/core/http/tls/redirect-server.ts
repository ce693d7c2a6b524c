import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Logger } from '../../platform/logger.ts'
import { limitConnections } from '../http-server.ts'

export interface RedirectOptions {
  readonly log: Logger
  rootUrl(): string
  /** The answer to a running http-01 challenge (RFC 8555, section 8.3). */
  challenge(token: string): Promise<string | undefined>
}

const CHALLENGE = /^\/\.well-known\/acme-challenge\/([\w-]{1,128})$/
const MAX_CONNECTIONS = 500
/** Time limit of a whole request. */
const TIMEOUT_MS = 20_000

/** Redirects every request to the same path on the root URL's host, except for those of ACME servers. */
export function createRedirectServer(options: RedirectOptions): Server {
  const server = createServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, connectionsCheckingInterval: TIMEOUT_MS / 2 },
    (request, response) => void answer(request, response, options),
  )
  limitConnections(server, MAX_CONNECTIONS, options.log)
  return server
}

async function answer(
  { url = '/' }: IncomingMessage,
  response: ServerResponse,
  { rootUrl, challenge, log }: RedirectOptions,
): Promise<void> {
  // NOTE: a request to a proxy contains the host in its path.
  const path = url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '')
  const token = CHALLENGE.exec(path)?.[1]
  const proof =
    token === undefined
      ? undefined
      : await challenge(token).catch((error: unknown) => log.warn({ err: error }, 'failed to read the ACME challenge'))
  response.setHeader('connection', 'close')
  if (typeof proof === 'string') response.writeHead(200, { 'content-type': 'text/plain' }).end(proof)
  else if (token !== undefined) response.writeHead(404).end()
  else {
    const location = new URL(rootUrl()).origin + (path.startsWith('/') ? path : `/${path.replace(/^\*/, '')}`)
    response.writeHead(308, { location, 'content-length': 0 }).end()
  }
}
