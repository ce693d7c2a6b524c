import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { type Agent, request, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { text } from 'node:stream/consumers'
import type { KeyPair } from '../../../src/core/http/tls/certificate.ts'
import { type Authority, createAuthority } from '../../harness/certificates.ts'

export interface CertificateFolder {
  readonly path: string
  readonly authority: Authority
  /** Certificate file of the authority, for `acme_ca_file` and `http.sslCAInfo`. */
  readonly caFile: string
  /** `tls.cert_file` and `tls.key_file`. */
  readonly settings: Readonly<Record<string, string>>
  /** Replaces both files, each at once. */
  write(pair: Partial<KeyPair>): void
  remove(): void
}

/** A folder with an authority and a certificate for localhost. */
export async function certificateFolder(): Promise<CertificateFolder> {
  const path = mkdtempSync(join(tmpdir(), 'ingot-tls-'))
  const authority = await createAuthority()
  const [cert, key, caFile] = ['cert.pem', 'key.pem', 'ca.pem'].map((name) => join(path, name)) as [
    string,
    string,
    string,
  ]
  const put = (file: string, content: string): void => {
    writeFileSync(`${file}.new`, content)
    renameSync(`${file}.new`, file)
  }
  const folder: CertificateFolder = {
    path,
    authority,
    caFile,
    settings: { 'server.host': '127.0.0.1', 'server.port': '0', 'tls.cert_file': cert, 'tls.key_file': key },
    write(pair) {
      if (pair.cert !== undefined) put(cert, pair.cert)
      if (pair.key !== undefined) put(key, pair.key)
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
  put(caFile, authority.pem)
  folder.write(await authority.issue())
  return folder
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A request on a connection of its own unless an agent is given. */
export async function send(
  url: string,
  options: RequestOptions & { readonly agent?: Agent | false } = {},
): Promise<Answer> {
  const sent = request(url, { agent: false, ...options }).end()
  const [answer] = await once(sent, 'response')
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}

export const portOf = (url: string): number => Number(new URL(url).port)

/** A TLS connection after its handshake. */
export async function handshake(url: string, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: portOf(url), servername: 'localhost', ...options })
  await once(socket, 'secureConnect')
  return socket
}

/** The serial number of the certificate that the server gives. */
export async function serialOf(url: string, options: ConnectionOptions = {}): Promise<string> {
  const socket = await handshake(url, { rejectUnauthorized: false, ...options })
  const { serialNumber } = socket.getPeerCertificate()
  socket.destroy()
  return serialNumber
}

export const serialIn = (pem: string): string => new X509Certificate(pem).serialNumber
