import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Secrets of others that must be read again: encrypted at rest, bound to what they belong to. */
export interface SecretBox {
  /** `context` names the place of the secret (`push_mirror.password`); opening needs the same. */
  seal(plain: string, context: string): string
  /** Throws when the text was not sealed with this key and context. */
  open(sealed: string, context: string): string
}

const NONCE = 12
const TAG = 16

/** AES-256-GCM under a key derived (HKDF) from the server's secret. */
export function createSecretBox(secret: string): SecretBox {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'ingot secret box v1', 32))
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      return `v1.${Buffer.concat([nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')}`
    },
    open(sealed, context) {
      if (!sealed.startsWith('v1.')) throw new Error('not a sealed secret')
      const bytes = Buffer.from(sealed.slice(3), 'base64url')
      const cipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE), { authTagLength: TAG }).setAAD(
        Buffer.from(context),
      )
      cipher.setAuthTag(bytes.subarray(bytes.length - TAG))
      return cipher.update(bytes.subarray(NONCE, bytes.length - TAG), undefined, 'utf8') + cipher.final('utf8')
    },
  }
}
