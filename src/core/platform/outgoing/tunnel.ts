import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import type { Socket } from 'node:net'
import { OutgoingError } from './outgoing-error.ts'

/** An HTTP proxy that the operator has set up; it is reached whatever the rules about hosts say. */
export interface OutgoingProxy {
  /** The address of the proxy, including credentials if any. */
  readonly url: URL
  /** Whether a host is reached through it. */
  serves(host: string): boolean
}

interface TunnelTarget {
  /** The checked address: the proxy resolves nothing. */
  readonly address: string
  readonly port: number
  /** Milliseconds. */
  readonly timeout: number
}

/** A connection to an address through a proxy (RFC 9110 §9.3.6). Throws OutgoingError. */
export function openTunnel({ url }: OutgoingProxy, { address, port, timeout }: TunnelTarget): Promise<Socket> {
  const authority = `${address.includes(':') ? `[${address}]` : address}:${port}`
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers = {
    host: authority,
    ...(credentials !== ':' && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
  }
  const request = url.protocol === 'https:' ? requestTls : requestPlain
  return new Promise((resolve, reject) => {
    const fail = (message: string, cause?: Error): void =>
      reject(new OutgoingError('unreachable', `proxy: ${message}`, { cause }))
    const asked = request({
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers,
      agent: false,
      timeout,
    })
    asked
      .on('connect', ({ statusCode }, socket: Socket) => {
        if (statusCode === 200) return resolve(socket.setTimeout(0))
        socket.destroy()
        fail(`the answer was ${statusCode}`)
      })
      .on('response', (response) => {
        response.destroy()
        fail(`the answer was ${response.statusCode}`)
      })
      .on('timeout', () => asked.destroy(new Error('no answer')))
      .on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message, error))
    asked.end()
  })
}
