import { createHash, createPrivateKey, sign, type KeyObject } from 'node:crypto'
import { parseSshPublicKey, SshKeyError, type SshPublicKey } from './key.ts'
import { framed } from './signature.ts'

export interface SshSigner {
  readonly publicKey: SshPublicKey
  /** A signature as `ssh-keygen -Y sign` makes it (OpenSSH PROTOCOL.sshsig). */
  sign(data: Uint8Array, namespace: string): string
}

/** From a private key in OpenSSH, PKCS#8 or PKCS#1 form. Throws SshKeyError. */
export async function loadSshSigner(text: string, passphrase: string): Promise<SshSigner> {
  const { parsePrivateKey } = (await import('sshpk')).default
  let key: KeyObject
  let line: string
  try {
    const parsed = parsePrivateKey(text, 'auto', passphrase === '' ? {} : { passphrase })
    key = createPrivateKey(parsed.toString('pkcs8'))
    line = parsed.toPublic().toString('ssh')
  } catch (error) {
    throw new SshKeyError('content', error instanceof Error ? error.message : 'the key cannot be read')
  }
  const publicKey = parseSshPublicKey(line)
  return {
    publicKey,
    sign(data, namespace) {
      const members = Buffer.concat([framed(namespace), framed(''), framed('sha512')])
      const covered = Buffer.concat([
        Buffer.from('SSHSIG'),
        members,
        framed(createHash('sha512').update(data).digest()),
      ])
      const wire = Buffer.concat([
        Buffer.from('SSHSIG'),
        Buffer.of(0, 0, 0, 1),
        framed(Buffer.from(publicKey.blob, 'base64')),
        members,
        framed(signatureBlob(publicKey.algorithm, key, covered)),
      ])
      return `-----BEGIN SSH SIGNATURE-----\n${wire.toString('base64').replaceAll(/.{70}(?=.)/g, '$&\n')}\n-----END SSH SIGNATURE-----\n`
    },
  }
}

/** In SSH wire form (RFC 4253 §6.6, RFC 5656 §3.1.2, RFC 8332). */
function signatureBlob(algorithm: string, key: KeyObject, data: Buffer): Buffer {
  if (algorithm === 'ssh-ed25519') return Buffer.concat([framed(algorithm), framed(sign(null, data, key))])
  if (algorithm === 'ssh-rsa') return Buffer.concat([framed('rsa-sha2-512'), framed(sign('sha512', data, key))])
  const hash = { 'ecdsa-sha2-nistp256': 'sha256', 'ecdsa-sha2-nistp384': 'sha384', 'ecdsa-sha2-nistp521': 'sha512' }[
    algorithm
  ]
  if (hash === undefined) throw new SshKeyError('unknown-algorithm', `a key of type ${algorithm} cannot sign here`)
  const made = sign(hash, data, { key, dsaEncoding: 'ieee-p1363' })
  const half = made.length / 2
  return Buffer.concat([
    framed(algorithm),
    framed(Buffer.concat([integer(made.subarray(0, half)), integer(made.subarray(half))])),
  ])
}

/** RFC 4251 §5, mpint. */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const magnitude = bytes.subarray(start)
  return framed(magnitude[0]! & 0x80 ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude)
}
