import { randomBytes } from 'node:crypto'
import type { Core } from '../../../../core/module.ts'

/** The purpose of a challenge; another use is refused. */
export interface ChallengeScope {
  readonly purpose: 'register' | 'sign-in' | 'second-factor'
  /** Binds the challenge to the browser. */
  readonly cookie: string
  /** 0 before the user is known. */
  readonly userId: number
}

export interface Challenge {
  /** The challenge in base64url. */
  readonly value: string
  /** Epoch milliseconds. */
  readonly until: number
  /** Names the user to the authenticator that registers. */
  readonly userHandle: string
}

export const CHALLENGE_MS = 10 * 60_000
const CHALLENGE_BYTES = 32

type Deps = Pick<Core, 'secrets' | 'clock'>

const contextOf = ({ purpose, cookie, userId }: ChallengeScope): string => `passkey.${purpose}:${userId}:${cookie}`

/**
 * Makes a challenge, and the ticket with which the form of the browser returns it. Nothing is stored before the
 * challenge was used, so that loading pages writes no rows.
 */
export function makeChallenge(
  { secrets, clock }: Deps,
  place: ChallengeScope,
  userHandle = '',
): Challenge & { readonly ticket: string } {
  const value = randomBytes(CHALLENGE_BYTES).toString('base64url')
  const challenge = { value, until: clock.now() + CHALLENGE_MS, userHandle }
  return { ...challenge, ticket: secrets.seal(JSON.stringify(challenge), contextOf(place)) }
}

/** Undefined for an expired challenge, and for one of another browser, user or purpose. */
export function readChallenge({ secrets, clock }: Deps, ticket: string, place: ChallengeScope): Challenge | undefined {
  try {
    const challenge = JSON.parse(secrets.open(ticket, contextOf(place))) as Challenge
    return challenge.until > clock.now() ? challenge : undefined
  } catch {
    return undefined
  }
}
