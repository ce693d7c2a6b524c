import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Clock } from '../../../core/platform/clock.ts'
import { hmacSha256Hex, sameSecret } from '../../../core/platform/crypto/crypto.ts'
import { writeDurably } from '../../../core/platform/files/durable.ts'

/** The temporary HTTP access of a client that authenticated over SSH. */
interface LfsGrant {
  readonly keyKind: 'user' | 'deploy' | 'certificate'
  /** The id of the row of the key: deleting the key revokes the grant. For a certificate, the id of the user. */
  readonly keyId: number
  readonly repoId: number
  /** `upload` includes `download`. */
  readonly operation: 'upload' | 'download'
}

const PREFIX = 'lfs.'
const KEY_BYTES = 32

export type LfsTokens = ReturnType<typeof createLfsTokens>

/** Tokens contain their grant, signed with `key`; nothing is stored. `lifetimeMs` is in milliseconds. */
export function createLfsTokens({
  key,
  clock,
  lifetimeMs,
}: {
  readonly key: string
  readonly clock: Clock
  readonly lifetimeMs: number
}) {
  return {
    /** The lifetime of a token in seconds. */
    lifetime: Math.floor(lifetimeMs / 1000),
    /** True for a text with the format of these tokens, valid or not. */
    looksLikeOne: (text: string): boolean => text.startsWith(PREFIX),
    issue({ keyKind, keyId, repoId, operation }: LfsGrant): string {
      const claims = Buffer.from(
        JSON.stringify([keyKind, keyId, repoId, operation, clock.now() + lifetimeMs]),
      ).toString('base64url')
      return `${PREFIX}${claims}.${hmacSha256Hex(key, claims)}`
    },
    /** Undefined for a token that is forged, modified or expired. */
    verify(token: string): LfsGrant | undefined {
      const [claims = '', mac = ''] = token.slice(PREFIX.length).split('.')
      if (!token.startsWith(PREFIX) || !sameSecret(mac, hmacSha256Hex(key, claims))) return undefined
      const [keyKind, keyId, repoId, operation, expiresAt] = JSON.parse(
        Buffer.from(claims, 'base64url').toString(),
      ) as [LfsGrant['keyKind'], number, number, LfsGrant['operation'], number]
      return clock.now() < expiresAt ? { keyKind, keyId, repoId, operation } : undefined
    },
  }
}

/** The key that signs these tokens, stored in a file; created at the first start. */
export async function loadLfsKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = randomBytes(KEY_BYTES).toString('hex')
  await writeDurably(path, key)
  return key
}
