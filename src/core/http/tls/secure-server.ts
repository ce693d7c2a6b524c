import type { RequestListener } from 'node:http'
import { Server, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { createSecureContext, type SecureContextOptions, type TLSSocket } from 'node:tls'
import type { Certificate, KeyPair } from './certificate.ts'

/** The source of a server's certificate. */
export interface CertificateSource {
  current(): Certificate
  /** Calls `listener` with each later certificate. */
  onChange(listener: (certificate: Certificate) => void): void
  /** The certificate that answers a running tls-alpn-01 challenge for a name (RFC 8737). */
  challenge(name: string): KeyPair | undefined
}

/** Ciphers of Mozilla's intermediate configuration: TLS 1.3, and of TLS 1.2 those with forward secrecy and an AEAD. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

const MAX_HANDSHAKE_MS = 10_000
const HTTP = 'http/1.1'
const ACME = 'acme-tls/1'

const contextOf = ({ cert, key }: KeyPair): SecureContextOptions => ({
  cert,
  key,
  ciphers: CIPHERS,
  minVersion: 'TLSv1.2',
})

/** An HTTPS server that uses each new certificate of the source for later connections. */
export class SecureServer extends Server {
  /** Connections in their TLS handshake, by client address. */
  readonly #handshakes = new Map<string, Socket>()

  constructor(source: CertificateSource, options: ServerOptions, handle: RequestListener) {
    super(
      {
        ...options,
        ...contextOf(source.current()),
        handshakeTimeout: Math.min(options.headersTimeout ?? MAX_HANDSHAKE_MS, MAX_HANDSHAKE_MS),
        ALPNCallback(this: TLSSocket, { servername, protocols }) {
          if (!protocols.includes(ACME)) return protocols.includes(HTTP) ? HTTP : undefined
          const answer = source.challenge(servername)
          if (answer === undefined) return undefined
          this.setKeyCert(createSecureContext(answer))
          return ACME
        },
      },
      handle,
    )
    // NOTE: without the keys of the tickets clients could not resume their sessions.
    source.onChange((certificate) =>
      this.setSecureContext({ ...contextOf(certificate), ticketKeys: this.getTicketKeys() }),
    )
    this.on('connection', (socket: Socket) => this.#follow(socket))
    this.prependListener('secureConnection', (socket: TLSSocket) => {
      this.#handshakes.delete(addressOf(socket))
      if (socket.alpnProtocol === ACME) socket.end()
    })
    // NOTE: the default answers by HTTP, which the client of a failed handshake cannot read.
    this.removeAllListeners('tlsClientError').on('tlsClientError', (_, socket) => socket.destroy())
  }

  /** Ends connections in their handshake too: they have sent no request. */
  override closeIdleConnections(): void {
    super.closeIdleConnections()
    for (const socket of this.#handshakes.values()) socket.destroy()
  }

  override closeAllConnections(): void {
    super.closeAllConnections()
    for (const socket of this.#handshakes.values()) socket.destroy()
  }

  #follow(socket: Socket): void {
    const address = addressOf(socket)
    this.#handshakes.set(address, socket)
    socket.once('close', () => {
      if (this.#handshakes.get(address) === socket) this.#handshakes.delete(address)
    })
  }
}

const addressOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
