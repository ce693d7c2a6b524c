import type { Clock } from '../../../core/platform/clock.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import { PgpError, verifyPgpSignature } from '../../../core/platform/pgp/index.ts'
import type { User } from '../users/user.store.ts'

const MINUTE = 60_000

/** A user proves that it has the private part of a GPG key by a signature over a token of the current minute. */
export interface GpgProof {
  /** Valid for one to two minutes. */
  token(user: User): string
  /** Whether the signature is by the key over the token of this minute or the one before. */
  proves(user: User, armoredKey: string, armoredSignature: string): Promise<boolean>
}

export function createGpgProof(clock: Clock): GpgProof {
  const tokenAt = (user: User, minute: number): string =>
    sha256Hex([minute * MINUTE, user.createdAt, user.name, user.email, user.id].join(':'))
  const minuteNow = (): number => Math.floor(clock.now() / MINUTE)
  const token = (user: User): string => tokenAt(user, minuteNow())
  return {
    token,
    async proves(user, armoredKey, armoredSignature) {
      const tokens = [token(user), tokenAt(user, minuteNow() - 1)]
      for (const text of tokens.flatMap((value) => [value, `${value}\n`, `${value}\r\n`])) {
        if (await isValidSignature({ armoredKey, armoredSignature, data: Buffer.from(text) }, clock.now())) return true
      }
      return false
    },
  }
}

async function isValidSignature(...[signature, now]: Parameters<typeof verifyPgpSignature>): Promise<boolean> {
  try {
    return await verifyPgpSignature(signature, now)
  } catch (error) {
    if (error instanceof PgpError) return false
    throw error
  }
}
