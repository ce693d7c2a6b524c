import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** A key of the box, with the id by which sealed texts name it. */
export interface SecretKey {
  /** Twelve hexadecimal digits that follow from the key and do not reveal it. */
  readonly id: string
  readonly bytes: Buffer
}

/** The current keys: the first one encrypts, the others only decrypt. Never empty. */
export type SecretKeys = () => readonly SecretKey[]

const NONCE = 12
const TAG = 16
const ID_LENGTH = 12
/** `v2.<key id>.<base64url>`; `v1.<base64url>` is the earlier form, which names no key. */
const NAMED = /^v2\.([0-9a-f]+)\.([\w-]+)$/
const UNNAMED = /^v1\.([\w-]+)$/

/** The key that a secret of the server makes (HKDF). */
export function deriveSecretKey(secret: string): SecretKey {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'ingot secret box v1', 32))
  const id = createHash('sha256').update('ingot secret box key id').update(bytes).digest('hex').slice(0, ID_LENGTH)
  return { id, bytes }
}

/** Secrets that must be read again: encrypted at rest, bound to the row that they belong to. */
export type SecretBox = ReturnType<typeof createSecretBox>

/** AES-256-GCM. Each sealed text names its key, so that texts of several keys can be read. */
export function createSecretBox(keys: SecretKeys) {
  const prefixOf = ({ id }: SecretKey): string => `v2.${id}.`
  return {
    /** `context` is the location of the secret (`push_mirror.password`); opening needs the same. */
    seal(plain: string, context: string): string {
      const key = keys()[0]!
      return `${prefixOf(key)}${encrypt(key, plain, context).toString('base64url')}`
    },
    /** Throws when the text was not sealed with a known key and this context. */
    open(sealed: string, context: string): string {
      const [, id, named] = NAMED.exec(sealed) ?? []
      if (id !== undefined) return decrypt(requireKey(keys(), id), Buffer.from(named!, 'base64url'), context)
      const text = UNNAMED.exec(sealed)?.[1]
      if (text === undefined) throw new Error('not a sealed secret')
      return decryptWithAny(keys(), Buffer.from(text, 'base64url'), context)
    },
    /** Keys to sign with, one for each key of the box: the first signs, the others only verify. */
    signingKeys: (context: string): readonly Uint8Array[] =>
      keys().map(({ bytes }) => new Uint8Array(hkdfSync('sha256', bytes, '', context, 32))),
    /** The prefix of the texts that are sealed with the current key. */
    prefix: (): string => prefixOf(keys()[0]!),
  }
}

function requireKey(keys: readonly SecretKey[], id: string): SecretKey {
  const key = keys.find((known) => known.id === id)
  if (key === undefined) throw new Error(`the secret was sealed with the key ${id}, which this server does not have`)
  return key
}

function encrypt({ bytes }: SecretKey, plain: string, context: string): Buffer {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv('aes-256-gcm', bytes, nonce).setAAD(Buffer.from(context))
  return Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: SecretKey, sealed: Buffer, context: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, NONCE), { authTagLength: TAG })
  decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG))
  return decipher.update(sealed.subarray(NONCE, -TAG), undefined, 'utf8') + decipher.final('utf8')
}

/** A key that did not seal the text never opens it: the tag at its end shows that. */
function decryptWithAny(keys: readonly SecretKey[], sealed: Buffer, context: string): string {
  const [first, ...others] = keys
  try {
    return decrypt(first!, sealed, context)
  } catch (error) {
    if (others.length === 0) throw error
    return decryptWithAny(others, sealed, context)
  }
}
