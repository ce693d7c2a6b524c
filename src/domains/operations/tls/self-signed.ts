import { randomBytes, webcrypto } from 'node:crypto'
import type { KeyPair } from '../../../core/http/tls/certificate.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const DAY_MS = 24 * 60 * 60 * 1000
/** A clock that is a little slow takes it too. */
const MARGIN_MS = 60 * 60 * 1000

/** A certificate that no client trusts: for the time until there is another one. */
export async function selfSigned(names: readonly string[], now: number): Promise<KeyPair> {
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto as Crypto)
  const keys = (await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])) as CryptoKeyPair
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: 'CN=Ingot without a certificate',
    notBefore: new Date(now - MARGIN_MS),
    notAfter: new Date(now + 7 * DAY_MS),
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns' as const, value }))),
    ],
  })
  const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const lines = key.match(/.{1,64}/g)!.join('\n')
  return {
    cert: certificate.toString('pem'),
    key: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`,
  }
}
