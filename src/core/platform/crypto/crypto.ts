import { createHmac, hash, randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto'

export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** Lower-case base32 without padding (RFC 4648). */
export function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

export const randomBase32 = (bytes: number): string => base32(randomBytes(bytes))

/** Only for addresses of generated images: security must not depend on it. */
export const md5Hex = (text: string): string => hash('md5', text, 'hex')

export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex')

export const hmacSha256Hex = (key: string | Uint8Array, data: string | Uint8Array): string =>
  createHmac('sha256', key).update(data).digest('hex')

/** Constant-time comparison of two texts of any length. */
export function sameSecret(a: string, b: string): boolean {
  const left = hash('sha256', a, 'buffer')
  const right = hash('sha256', b, 'buffer')
  return timingSafeEqual(left, right)
}

const SCRYPT: ScryptOptions = { N: 2 ** 14, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const KEY_BYTES = 32

/** `scrypt$N$r$p$salt$key`, salt and key in base64; runs on the thread pool (RFC 7914). `cost`: a power of two. */
export async function hashPassword(password: string, cost = SCRYPT.N!): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, { ...SCRYPT, N: cost })
  return ['scrypt', cost, SCRYPT.r, SCRYPT.p, salt.toString('base64'), key.toString('base64')].join('$')
}

/** False for a wrong password and for a stored text this server cannot read (an account without a password). */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [kind, N, r, p, salt, key] = stored.split('$')
  if (kind !== 'scrypt' || !salt || !key) return false
  const options = { N: Number(N), r: Number(r), p: Number(p), maxmem: SCRYPT.maxmem! }
  const expected = Buffer.from(key, 'base64')
  const actual = await derive(password, Buffer.from(salt, 'base64'), options)
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, KEY_BYTES, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

const KINDS = [/[a-z]/, /[A-Z]/, /\d/, /[-_]/, /^[^-]/]

/**
 * A password for a new account of at least 16 characters (close to 96 random bits), some of every kind that rules may
 * ask for.
 */
export function randomPassword(minLength = 0): string {
  const length = Math.max(16, minLength)
  for (;;) {
    const password = randomBytes(Math.ceil((length * 3) / 4))
      .toString('base64url')
      .slice(0, length)
    if (KINDS.every((kind) => kind.test(password))) return password
  }
}
