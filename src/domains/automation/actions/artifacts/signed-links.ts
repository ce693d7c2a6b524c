import type { Clock } from '../../../../core/platform/clock.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'

/**
 * The query of a link that needs no credentials. NOTE: the values contain only `[A-Za-z0-9._-]`: libraries of clients
 * parse and write the query again.
 */
export interface LinkProof {
  readonly sig: string
  /** Epoch seconds. */
  readonly expires: number
}

const VALID_SECONDS = 3600

export type SignedLinks = ReturnType<typeof createSignedLinks>

/**
 * Links that are valid for an hour; only this server can create them. `context` names their purpose: a link for one is
 * not valid for another.
 */
export function createSignedLinks({ secrets, clock }: { secrets: SecretBox; clock: Clock }, context: string) {
  const now = (): number => Math.floor(clock.now() / 1000)
  const textOf = (target: string, expires: number): string => `${expires} ${target}`
  return {
    make(target: string): LinkProof {
      const expires = now() + VALID_SECONDS
      return { sig: secrets.seal(textOf(target, expires), context), expires }
    },
    /** Whether this server created the link for this target and the link has not expired. */
    isValid(target: string, { sig, expires }: LinkProof): boolean {
      if (!(expires > now())) return false
      try {
        return secrets.open(sig, context) === textOf(target, expires)
      } catch {
        return false
      }
    },
  }
}
