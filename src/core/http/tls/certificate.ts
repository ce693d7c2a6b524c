import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { createSecureContext } from 'node:tls'
import { invalid } from '../../platform/errors.ts'

/** A private key and its certificate chain, as PEM. */
export interface KeyPair {
  readonly key: string
  readonly cert: string
}

export interface Certificate extends KeyPair {
  /** DNS names, as the certificate has them: they may have wildcards. */
  readonly names: readonly string[]
  /** Epoch milliseconds, as `notAfter`. */
  readonly notBefore: number
  readonly notAfter: number
  /** Whether it is valid for a DNS name or an IP address. */
  covers(host: string): boolean
}

const DNS_NAME = /(?:^|, )DNS:([^,]+)/g

/** Throws Invalid if a server cannot use the pair. Expired certificates and those for other names are accepted. */
export function parseCertificate({ cert, key }: KeyPair): Certificate {
  const leaf = parseLeaf(cert)
  if (!leaf.checkPrivateKey(parseKey(key))) throw invalid('the private key does not belong to the (first) certificate')
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    throw invalid(`the certificate cannot be used: ${(error as Error).message}`)
  }
  return {
    cert,
    key,
    names: [...(leaf.subjectAltName ?? '').matchAll(DNS_NAME)].map(([, name]) => name!),
    notBefore: leaf.validFromDate.getTime(),
    notAfter: leaf.validToDate.getTime(),
    covers: (host) => (isIP(host) === 0 ? leaf.checkHost(host) : leaf.checkIP(host)) !== undefined,
  }
}

function parseLeaf(cert: string): X509Certificate {
  try {
    return new X509Certificate(cert)
  } catch {
    throw invalid('there is no certificate in PEM form in it')
  }
}

function parseKey(key: string): KeyObject {
  if (/^-----BEGIN ENCRYPTED |^Proc-Type: 4,ENCRYPTED/m.test(key))
    throw invalid('the private key is encrypted: write it without a passphrase (openssl pkey -in OLD -out NEW)')
  try {
    return createPrivateKey(key)
  } catch {
    throw invalid('there is no private key in PEM form in it')
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

export const daysLeft = ({ notAfter }: Certificate, now: number): number => Math.floor((notAfter - now) / DAY_MS)

/** Reasons for which clients refuse the certificate. */
export function listFaults(
  certificate: Certificate,
  { host, now }: { host: string | undefined; now: number },
): string[] {
  const { names, notAfter, notBefore } = certificate
  const day = (time: number): string => new Date(time).toISOString()
  return [
    ...(notAfter <= now ? [`the certificate expired at ${day(notAfter)}`] : []),
    ...(notBefore > now ? [`the certificate is not valid before ${day(notBefore)}, or the clock is wrong`] : []),
    ...(host === undefined || certificate.covers(host)
      ? []
      : [`the certificate is for ${names.join(', ') || 'no DNS name'}, not for ${host}, the host of server.root_url`]),
  ]
}

/** The URL of a server that listens at `url`, with the first name of the certificate as its host. */
export function urlByName(url: string, { names }: Certificate): string {
  const named = new URL(url)
  named.hostname = names.find((name) => !name.startsWith('*')) ?? named.hostname
  return named.origin
}
