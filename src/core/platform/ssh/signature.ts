import { createHash, createPublicKey, verify, type KeyObject, createPrivateKey, sign } from 'node:crypto'
import { CURVES, sshFingerprint, SshKeyError, WireReader, parseSshPublicKey, type SshPublicKey } from './key.ts'

/** A detached signature as `ssh-keygen -Y sign` makes it (OpenSSH PROTOCOL.sshsig). */
export interface SshSignature {
  /** Fingerprint of the key that is named in the signature. */
  readonly fingerprint: string
  readonly namespace: string
  /** True when the key made it over these bytes. */
  covers(data: Uint8Array): boolean
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n?-----END SSH SIGNATURE-----\s*$/
const MAGIC = 'SSHSIG'
const MAX_TEXT = 32 * 1024
const HASHES = ['sha256', 'sha512']

/** Throws SshKeyError for any other text. */
export function parseSshSignature(armored: string): SshSignature {
  const body = armored.length > MAX_TEXT ? undefined : ARMOR.exec(armored.trim())?.[1]
  const wire = Buffer.from(body ?? '', 'base64')
  if (wire.toString('latin1', 0, MAGIC.length) !== MAGIC || wire.length < 10 || wire.readUInt32BE(6) !== 1)
    throw new SshKeyError('content', 'not an SSH signature')
  const reader = new WireReader(wire.subarray(10))
  const [key, namespace, reserved, hash, signature] = [
    reader.bytes(),
    reader.bytes(),
    reader.bytes(),
    reader.bytes(),
    reader.bytes(),
  ]
  const algorithm = hash.toString('latin1')
  if (!reader.atEnd || !HASHES.includes(algorithm)) throw new SshKeyError('content', 'not an SSH signature')
  return {
    fingerprint: sshFingerprint(key),
    namespace: namespace.toString('utf8'),
    covers(data) {
      const digest = createHash(algorithm).update(data).digest()
      return verifySshBlob(
        key,
        signature,
        Buffer.concat([Buffer.from(MAGIC), ...[namespace, reserved, hash, digest].map(framed)]),
      )
    },
  }
}

export function framed(member: Uint8Array | string): Buffer {
  const bytes = Buffer.from(member as string)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

/**
 * A signature in SSH wire form (RFC 4253 §6.6, RFC 8332; of security keys PROTOCOL.u2f) over `data`; false for
 * everything that cannot be read.
 */
export function verifySshBlob(keyWire: Buffer, signature: Buffer, data: Buffer): boolean {
  try {
    const key = new WireReader(keyWire)
    const type = key.text()
    const made = new WireReader(signature)
    const algorithm = made.text()
    switch (type) {
      case 'ssh-ed25519':
      case 'sk-ssh-ed25519@openssh.com':
        return algorithm === type && verifyEd25519(type, { key, made, data })
      case 'ssh-rsa':
        return verifyRsa(algorithm, { key, made, data })
      default:
        return algorithm === type && verifyEcdsa(type, { key, made, data })
    }
  } catch {
    return false
  }
}

interface Parts {
  readonly key: WireReader
  readonly made: WireReader
  readonly data: Buffer
}

function verifyEd25519(type: string, { key, made, data }: Parts): boolean {
  const publicKey = jwk({ kty: 'OKP', crv: 'Ed25519', x: key.bytes().toString('base64url') })
  const signature = made.bytes()
  const covered = type.startsWith('sk-') ? tokenData({ key, made, data }) : data
  return covered !== undefined && made.atEnd && verify(null, covered, publicKey, signature)
}

/** The public key of an RSA key in wire form; undefined for other keys, and for short ones. */
export function rsaKeyOf(wire: Buffer): KeyObject | undefined {
  try {
    const key = new WireReader(wire)
    return key.text() === 'ssh-rsa' ? readRsaKey(key) : undefined
  } catch {
    return undefined
  }
}

function readRsaKey(key: WireReader): KeyObject | undefined {
  const e = key.integer().toString('base64url')
  const n = key.integer()
  return n.length < 256 ? undefined : jwk({ kty: 'RSA', e, n: n.toString('base64url') })
}

function verifyRsa(algorithm: string, { key, made, data }: Parts): boolean {
  const hash = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }[algorithm]
  if (hash === undefined) return false
  const publicKey = readRsaKey(key)
  const signature = made.bytes()
  return publicKey !== undefined && made.atEnd && verify(hash, data, publicKey, signature)
}

function verifyEcdsa(type: string, { key, made, data }: Parts): boolean {
  const name = /^(?:sk-)?ecdsa-sha2-(nistp\d+)(?:@openssh\.com)?$/.exec(type)?.[1] ?? ''
  const curve = CURVES[name]
  if (curve === undefined || key.text() !== name) return false
  const point = key.bytes()
  const coordinate = (index: number): string =>
    point.subarray(1 + index * curve.bytes, 1 + (index + 1) * curve.bytes).toString('base64url')
  const publicKey = jwk({ kty: 'EC', crv: curve.crv, x: coordinate(0), y: coordinate(1) })
  const inner = new WireReader(made.bytes())
  const [r, s] = [padded(inner.integer(), curve.bytes), padded(inner.integer(), curve.bytes)]
  const covered = type.startsWith('sk-') ? tokenData({ key, made, data }) : data
  if (covered === undefined || r === undefined || s === undefined || !made.atEnd) return false
  return verify(
    { nistp256: 'sha256', nistp384: 'sha384', nistp521: 'sha512' }[name]!,
    covered,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.concat([r, s]),
  )
}

function padded(number: Buffer, length: number): Buffer | undefined {
  return number.length > length ? undefined : Buffer.concat([Buffer.alloc(length - number.length), number])
}

/** The data that a security key signs (OpenSSH PROTOCOL.u2f); undefined when no user touched it. */
function tokenData({ key, made, data }: Parts): Buffer | undefined {
  const application = key.bytes()
  const flagsAndCounter = made.rest(5)
  if (!(flagsAndCounter[0]! & 1)) return undefined
  const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest()
  return Buffer.concat([sha256(application), flagsAndCounter, sha256(data)])
}

const jwk = (key: Record<string, string>): KeyObject => createPublicKey({ key, format: 'jwk' })

export interface SshSigner {
  readonly publicKey: SshPublicKey
  /** A signature as `ssh-keygen -Y sign` makes it (OpenSSH PROTOCOL.sshsig). */
  sign(data: Uint8Array, namespace: string): string
}

/** Loads a private key in OpenSSH, PKCS#8 or PKCS#1 form. Throws SshKeyError. */
export async function loadSshSigner(text: string, passphrase: string): Promise<SshSigner> {
  const key = await readPrivateKey(text, passphrase)
  const publicKey = parseSshPublicKey(createPublicKey(key).export({ format: 'pem', type: 'spki' }).toString())
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

/** Node reads PEM itself, except for the form of OpenSSH; ssh2 reads that one, and PuTTY's. */
async function readPrivateKey(text: string, passphrase: string): Promise<KeyObject> {
  try {
    if (/^\s*-----BEGIN (?!OPENSSH)/.test(text)) return createPrivateKey({ key: text, passphrase })
    const { utils } = (await import('ssh2')).default
    const parsed = utils.parseKey(text, passphrase === '' ? undefined : passphrase)
    if (parsed instanceof Error) throw parsed
    return createPrivateKey(parsed.getPrivatePEM())
  } catch (error) {
    throw new SshKeyError('content', error instanceof Error ? error.message : 'the key cannot be read')
  }
}

/** The signature in SSH wire form (RFC 4253 §6.6, RFC 5656 §3.1.2, RFC 8332). */
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
