import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { trimEndOf } from '../trim.ts'

/** An SSH public key as it is stored and compared. */
export interface SshPublicKey {
  /** The key type, such as `ssh-ed25519`. */
  readonly algorithm: string
  /** The key in SSH wire form (RFC 4253 §6.6), base64 with padding. */
  readonly blob: string
  readonly comment: string
  /** `SHA256:` and unpadded base64, as ssh-keygen prints it. */
  readonly fingerprint: string
  readonly bits: number
}

/** The input is not a public key; `reason` is a phrase for the user who sent it. */
export class SshKeyError extends Error {
  readonly kind: 'content' | 'unknown-algorithm'

  constructor(kind: SshKeyError['kind'], reason: string) {
    super(reason)
    this.name = 'SshKeyError'
    this.kind = kind
  }
}

export const CURVES: Readonly<Record<string, { crv: string; bytes: number; bits: number }>> = {
  nistp256: { crv: 'P-256', bytes: 32, bits: 256 },
  nistp384: { crv: 'P-384', bytes: 48, bits: 384 },
  nistp521: { crv: 'P-521', bytes: 66, bits: 521 },
}
const MAX_RSA_BITS = 16_384
const MAX_INPUT = 32 * 1024

/**
 * Reads one key in any of the forms that tools write: an OpenSSH line (type and comment optional), RFC 4716, or PEM
 * (PKIX and PKCS#1). Throws SshKeyError.
 */
export function parseSshPublicKey(input: string): SshPublicKey {
  const text = input.trim()
  if (text.length > MAX_INPUT) throw wrong('key is too long')
  if (/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(text)) throw wrong('the provided key is a private key')
  if (text.startsWith('-----BEGIN ')) return fromWire(pemToWire(text), '')
  if (text.startsWith('---- BEGIN SSH2 PUBLIC KEY ----')) return fromWire(decodeBase64(rfc4716Body(text)), '')
  return parseLine(text.replaceAll(/[\r\n]+/g, ''))
}

/** The `SHA256:` fingerprint of a key in wire form. */
export const sshFingerprint = (wire: Uint8Array): string =>
  `SHA256:${withoutPadding(createHash('sha256').update(wire).digest('base64'))}`

function parseLine(line: string): SshPublicKey {
  const [first = '', second = '', ...rest] = line.split(/[ \t]+/)
  const isBare = /^AAAA[A-Za-z0-9+/]+=*$/.test(first)
  if (isBare) return fromWire(decodeBase64(first), line.slice(first.length).trim())
  if (second === '') throw wrong('not a public key')
  const key = fromWire(decodeBase64(second), rest.join(' '))
  if (key.algorithm !== first) throw wrong(`key type and content does not match: ${first} - ${key.algorithm}`)
  return key
}

function fromWire(wire: Buffer, comment: string): SshPublicKey {
  const reader = new WireReader(wire)
  const algorithm = reader.text()
  const bits = readKey(algorithm, reader)
  if (!reader.atEnd) throw wrong('data after the key')
  return {
    algorithm,
    blob: wire.toString('base64'),
    comment: cleanComment(comment),
    fingerprint: sshFingerprint(wire),
    bits,
  }
}

/** Checks the members that the type requires; returns the size of the key in bits. */
function readKey(algorithm: string, reader: WireReader): number {
  switch (algorithm) {
    case 'ssh-ed25519':
      return ed25519(reader)
    case 'sk-ssh-ed25519@openssh.com':
      return withApplication(reader, ed25519(reader))
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      return withApplication(reader, ecdsa('nistp256', reader))
    case 'ecdsa-sha2-nistp256':
    case 'ecdsa-sha2-nistp384':
    case 'ecdsa-sha2-nistp521':
      return ecdsa(algorithm.slice('ecdsa-sha2-'.length), reader)
    case 'ssh-rsa':
      return rsa(reader)
    default:
      throw new SshKeyError('unknown-algorithm', `key type ${algorithm} is not supported`)
  }
}

function ed25519(reader: WireReader): number {
  if (reader.bytes().length !== 32) throw wrong('an ed25519 key has 32 bytes')
  return 256
}

function withApplication(reader: WireReader, bits: number): number {
  if (reader.text() === '') throw wrong('a security key names its application')
  return bits
}

function ecdsa(name: string, reader: WireReader): number {
  const curve = CURVES[name]!
  if (reader.text() !== name) throw wrong('the curve does not match the key type')
  const point = reader.bytes()
  if (point.length !== 1 + 2 * curve.bytes || point[0] !== 4) throw wrong('not an uncompressed point of the curve')
  const coordinate = (index: number): string =>
    point.subarray(1 + index * curve.bytes, 1 + (index + 1) * curve.bytes).toString('base64url')
  importKey(() =>
    createPublicKey({ key: { kty: 'EC', crv: curve.crv, x: coordinate(0), y: coordinate(1) }, format: 'jwk' }),
  )
  return curve.bits
}

function rsa(reader: WireReader): number {
  const exponent = reader.integer()
  const modulus = reader.integer()
  if (exponent.length > 8 || (exponent.length === 1 && exponent[0]! < 3) || isEven(exponent))
    throw wrong('the RSA exponent is out of range')
  const bits = modulus.length * 8 - Math.clz32(modulus[0]!) + 24
  if (bits > MAX_RSA_BITS || isEven(modulus)) throw wrong('the RSA modulus is out of range')
  return bits
}

const isEven = (number: Uint8Array): boolean => (number.at(-1)! & 1) === 0

/** PKIX (`PUBLIC KEY`) and PKCS#1 (`RSA PUBLIC KEY`). */
function pemToWire(pem: string): Buffer {
  const jwk = importKey(() => createPublicKey(pem)).export({ format: 'jwk' })
  const member = (name: 'x' | 'y' | 'n' | 'e'): Buffer => Buffer.from(jwk[name] ?? '', 'base64url')
  if (jwk.kty === 'RSA') return wireOf('ssh-rsa', asInteger(member('e')), asInteger(member('n')))
  if (jwk.kty === 'OKP' && jwk.crv === 'Ed25519') return wireOf('ssh-ed25519', member('x'))
  const curve = Object.entries(CURVES).find(([, { crv }]) => crv === jwk.crv)
  if (jwk.kty !== 'EC' || curve === undefined) throw new SshKeyError('unknown-algorithm', 'SSH has no such kind of key')
  return wireOf(
    `ecdsa-sha2-${curve[0]}`,
    Buffer.from(curve[0]),
    Buffer.concat([Buffer.of(4), member('x'), member('y')]),
  )
}

function importKey(make: () => KeyObject): KeyObject {
  try {
    return make()
  } catch {
    throw wrong('the key cannot be read')
  }
}

function wireOf(algorithm: string, ...members: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from(algorithm), ...members].flatMap((member) => [lengthOf(member), member]))
}

function lengthOf(member: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(member.length)
  return length
}

/** A positive number whose first bit is set gets a zero byte before it (RFC 4251 §5, mpint). */
const asInteger = (magnitude: Buffer): Buffer =>
  (magnitude[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), magnitude]) : magnitude

function rfc4716Body(text: string): string {
  const lines = text
    .replaceAll(/\\\r?\n/g, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
  const end = lines.indexOf('---- END SSH2 PUBLIC KEY ----')
  if (end < 0) throw wrong('the end of the key is missing')
  return lines
    .slice(1, end)
    .filter((line) => !line.includes(':'))
    .join('')
}

function decodeBase64(text: string): Buffer {
  const wire = Buffer.from(text, 'base64')
  if (wire.length === 0 || withoutPadding(wire.toString('base64')) !== withoutPadding(text)) throw wrong('not base64')
  return wire
}

const withoutPadding = (base64: string): string => trimEndOf(base64, '=')

const cleanComment = (comment: string): string => comment.replaceAll(/\p{Cc}+/gu, ' ').trim()

const wrong = (reason: string): SshKeyError => new SshKeyError('content', reason)

/**
 * Reads the length-prefixed members of RFC 4251 §5; throws for truncated members and for numbers not in their shortest
 * form.
 */
export class WireReader {
  readonly #data: Buffer
  #offset = 0

  constructor(data: Buffer) {
    this.#data = data
  }

  get atEnd(): boolean {
    return this.#offset === this.#data.length
  }

  bytes(): Buffer {
    if (this.#data.length - this.#offset < 4) throw wrong('the key is cut off')
    const length = this.#data.readUInt32BE(this.#offset)
    const start = this.#offset + 4
    if (length > this.#data.length - start) throw wrong('the key is cut off')
    this.#offset = start + length
    return this.#data.subarray(start, this.#offset)
  }

  /** The next bytes, without a length before them. */
  rest(length: number): Buffer {
    if (this.#data.length - this.#offset < length) throw wrong('the key is cut off')
    this.#offset += length
    return this.#data.subarray(this.#offset - length, this.#offset)
  }

  text(): string {
    const bytes = this.bytes()
    if (bytes.some((byte) => byte < 0x21 || byte > 0x7e)) throw wrong('a name in the key is not plain text')
    return bytes.toString('latin1')
  }

  /** Magnitude of a positive number without leading zeros. */
  integer(): Buffer {
    const bytes = this.bytes()
    const [first = 0, second = 0] = bytes
    if (bytes.length === 0 || first & 0x80 || (first === 0 && !(second & 0x80)))
      throw wrong('a number in the key is not in its shortest form')
    return first === 0 ? bytes.subarray(1) : bytes
  }
}
