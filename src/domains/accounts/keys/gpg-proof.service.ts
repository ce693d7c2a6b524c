import type { Clock } from '../../../core/platform/clock.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import { PgpError, verifyPgpSignature } from '../../../core/platform/pgp/index.ts'
import type { User } from '../users/user.store.ts'

const MINUTE = 60_000

export type GpgProof = ReturnType<typeof createGpgProof>

/** A user proves that it has the private part of a GPG key by a signature over a token of the current minute. */
export function createGpgProof(clock: Clock) {
  const tokenAt = (user: User, minute: number): string =>
    sha256Hex([minute * MINUTE, user.createdAt, user.name, user.email, user.id].join(':'))
  const minuteNow = (): number => Math.floor(clock.now() / MINUTE)
  const token = (user: User): string => tokenAt(user, minuteNow())
  return {
    /** Valid for one to two minutes. */
    token,
    /** Whether the signature is by the key over the token of this minute or the one before. */
    async proves(user: User, armoredKey: string, armoredSignature: string): Promise<boolean> {
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
