import { randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { KeyPair } from '../../src/core/http/tls/certificate.ts'

x509.cryptoProvider.set(webcrypto as Crypto)
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1000

interface IssueOptions {
  /** DNS names. */
  readonly names?: readonly string[]
  /** Days from now. */
  readonly from?: number
  readonly to?: number
}

/** An authority that tests trust. */
export interface Authority {
  /** Its certificate. */
  readonly pem: string
  /** Issues a certificate for `localhost` and 127.0.0.1, or for the given names. */
  issue(options?: IssueOptions): Promise<KeyPair>
}

const serial = (): string => `01${randomBytes(15).toString('hex')}`
const makeKeys = (): Promise<CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']) as Promise<CryptoKeyPair>

export async function createAuthority(): Promise<Authority> {
  const keys = await makeKeys()
  const now = Date.now()
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: 'CN=Authority of the tests',
    notBefore: new Date(now - 400 * DAY_MS),
    notAfter: new Date(now + 400 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  return {
    pem: root.toString('pem'),
    async issue({ names, from = -1, to = 90 } = {}) {
      const own = await makeKeys()
      const dns = (names ?? ['localhost']).map((value) => ({ type: 'dns' as const, value }))
      const certificate = await x509.X509CertificateGenerator.create({
        serialNumber: serial(),
        subject: 'CN=A server of the tests',
        issuer: root.subject,
        notBefore: new Date(now + from * DAY_MS),
        notAfter: new Date(now + to * DAY_MS),
        signingAlgorithm: ALGORITHM,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.SubjectAlternativeNameExtension(
            names === undefined ? [...dns, { type: 'ip' as const, value: '127.0.0.1' }] : dns,
          ),
        ],
      })
      const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', own.privateKey))
      return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') }
    },
  }
}
