import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { type Config, isTlsOn } from '../../../core/config/index.ts'
import { invalid } from '../../../core/platform/errors.ts'

export interface CertificatePaths {
  readonly cert: string
  readonly key: string
}

export interface AcmeSettings {
  readonly directory: string
  /** Empty: none, as in `caFile`. */
  readonly email: string
  readonly caFile: string
  /** Names in the certificate; the first one is the host of the root URL. */
  readonly names: readonly string[]
}

export interface TlsSettings {
  /** The host of the root URL; undefined where that has the first name of the certificate. */
  readonly host: string | undefined
  /** Undefined where the certificate comes from an ACME server. */
  readonly files: CertificatePaths | undefined
  readonly acme: AcmeSettings | undefined
  /** Port of the redirect listener; 0: none. */
  readonly httpPort: number
}

const HTTPS_PORT = 443
const HTTP_PORT = 80

/** The settings of `[tls]`; undefined if TLS is off. Throws Invalid, which stops the start. */
export function tlsSettings({ server, tls }: Config): TlsSettings | undefined {
  if (!isTlsOn(tls)) {
    if (tls.key_file !== '') throw invalid('tls.key_file needs tls.cert_file')
    return undefined
  }
  if (server.root_url.startsWith('http:'))
    throw invalid(`server.root_url is ${server.root_url}, but [tls] is on: it must begin with https://`)
  const host = server.root_url === '' ? undefined : new URL(server.root_url).hostname.replace(/^\[|\]$/g, '')
  const httpPort = tls.http_port >= 0 ? tls.http_port : server.port === HTTPS_PORT ? HTTP_PORT : 0
  if (httpPort !== 0 && httpPort === server.port) throw invalid('tls.http_port and server.port must differ')
  if (!tls.acme) {
    if (tls.key_file === '') throw invalid('tls.cert_file needs tls.key_file')
    return { host, files: { cert: resolve(tls.cert_file), key: resolve(tls.key_file) }, acme: undefined, httpPort }
  }
  if (tls.cert_file !== '') throw invalid('tls.acme and tls.cert_file exclude each other')
  const { acme_directory: directory, acme_email: email, acme_ca_file: caFile } = tls
  return { host, files: undefined, acme: { directory, email, caFile, names: acmeNames(host, tls) }, httpPort }
}

function acmeNames(host: string | undefined, { acme_domains: domains }: Config['tls']): string[] {
  const names = [...new Set([...(host === undefined ? [] : [host]), ...domains])]
  const address = names.find((name) => isIP(name) !== 0)
  if (address !== undefined) throw invalid(`tls.acme: there are certificates for host names only, not for ${address}`)
  if (names.length === 0)
    throw invalid('tls.acme needs the name of the server: set server.root_url to https://NAME, or tls.acme_domains')
  return names
}
