import { once } from 'node:events'
import type { FastifyInstance } from 'fastify'
import { createRedirectServer, type RedirectOptions } from '../../../core/http/tls/redirect-server.ts'
import type { Listener } from '../../../core/module.ts'
import { conflict } from '../../../core/platform/errors.ts'

/** Sends Strict-Transport-Security in every response, unless `maxAge`, in seconds, is 0. */
export function sendHsts(http: FastifyInstance, maxAge: number): void {
  if (maxAge === 0) return
  const value = `max-age=${maxAge}`
  http.addHook('onRequest', (_, reply, done) => {
    // NOTE: transfers of git write their headers without Fastify.
    reply.raw.setHeader('strict-transport-security', value)
    done()
  })
}

/** Redirects HTTP to HTTPS and answers http-01 challenges. */
export function redirectListener(
  address: { readonly host: string; readonly port: number },
  options: RedirectOptions,
): Listener {
  const server = createRedirectServer(options)
  return {
    async listen() {
      server.listen(address)
      await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error
        throw conflict(
          `port ${address.port} of ${address.host} is in use by another program, so HTTP cannot be redirected to HTTPS. Choose another with tls.http_port, or none with 0.`,
        )
      })
      options.log.info(address, 'redirecting HTTP to HTTPS')
    },
    // Each request is answered at once.
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
