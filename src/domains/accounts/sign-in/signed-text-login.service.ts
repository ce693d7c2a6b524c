import { constants, publicDecrypt, verify } from 'node:crypto'
import type { Core } from '../../../core/module.ts'
import { ALL_SCOPES, type SignedIn, type SignedText } from '../../../core/access/viewer.ts'
import { rsaKeyOf } from '../../../core/platform/ssh/signature.ts'
import { listUserKeys } from '../keys/public-key.store.ts'
import { findUserByName } from '../users/user.store.ts'
import type { KeyLogins } from './key-logins.service.ts'

interface SignedTextDeps extends Pick<Core, 'database'> {
  readonly keyLogins: Pick<KeyLogins, 'recordUse'>
}

/** The account that signed one of the texts; undefined if none did. */
export type SignedTextLogin = (signed: SignedText) => Promise<SignedIn | undefined>

/** Keys of an account that are tried. */
const MAX_KEYS = 50

/** Requests that are signed by an RSA key of the account, among its SSH keys. */
export function createSignedTextLogin({ database: { read }, keyLogins }: SignedTextDeps): SignedTextLogin {
  return async (signed) => {
    const account = await findUserByName(read, signed.user)
    if (account?.kind !== 'individual') return undefined
    const filter = { userId: account.id, fingerprint: undefined }
    const keys = await listUserKeys(read, filter, { page: 1, limit: MAX_KEYS, offset: 0 })
    const key = keys.items.find(({ blob }) => isMadeBy(Buffer.from(blob, 'base64'), signed))
    if (key === undefined) return undefined
    keyLogins.recordUse({ kind: 'user', id: key.id, title: key.title })
    return {
      kind: 'user',
      account,
      scopes: ALL_SCOPES,
      method: 'http-signature',
      tokenId: undefined,
      onlyRepos: undefined,
      keyId: key.id,
    }
  }
}

function isMadeBy(wire: Buffer, { texts, signature, hash }: SignedText): boolean {
  const key = rsaKeyOf(wire)
  if (key === undefined) return false
  try {
    if (hash !== undefined) return texts.some((text) => verify(hash, Buffer.from(text), key, signature))
    const text = publicDecrypt({ key, padding: constants.RSA_PKCS1_PADDING }, signature).toString('utf8')
    return texts.includes(text)
  } catch {
    return false // of another key, or no signature
  }
}
