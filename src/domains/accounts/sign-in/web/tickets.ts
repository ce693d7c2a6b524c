import { decideAccountState } from '../../../../core/access/viewer.ts'
import { sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import type { SignInDeps } from './browser.ts'
import type { Begun, SignInProof } from './web.service.ts'

/** The next step of a browser that has begun to sign in: the second factor, or a new password. */
interface Place {
  readonly step: 'code' | 'change'
  /** Binds the ticket to the browser. */
  readonly cookie: string
}

const TICKET_MS = 5 * 60_000
const contextOf = ({ step, cookie }: Place): string => `sign_in.${step}:${cookie}`

interface Claims {
  readonly name: string
  readonly id: number
  readonly proof: SignInProof
  /** Of the hash of the account's password. */
  readonly password: string
  readonly until: number
}

export async function makeTicket(
  { secrets, clock, findLogin }: SignInDeps,
  { user, proof }: Begun,
  place: Place,
): Promise<string> {
  const password = sha256Hex((await findLogin(user.name))?.passwordHash ?? '')
  const claims: Claims = { name: user.name, id: user.id, proof, password, until: clock.now() + TICKET_MS }
  return secrets.seal(JSON.stringify(claims), contextOf(place))
}

/**
 * Undefined for an expired ticket, a ticket of another browser or step, an account that may not sign in, and a ticket
 * issued before the password of the account was changed.
 */
export async function readTicket(
  { secrets, clock, findLogin }: SignInDeps,
  ticket: string,
  place: Place,
): Promise<Begun | undefined> {
  const claims = open(secrets, ticket, contextOf(place))
  if (claims === undefined || claims.until <= clock.now()) return undefined
  const { user, passwordHash } = (await findLogin(claims.name)) ?? {}
  if (user?.id !== claims.id || decideAccountState(user) === 'prohibited') return undefined
  if (sha256Hex(passwordHash ?? '') !== claims.password) return undefined
  return { user, proof: claims.proof }
}

function open(secrets: SignInDeps['secrets'], ticket: string, context: string): Claims | undefined {
  try {
    return JSON.parse(secrets.open(ticket, context)) as Claims
  } catch {
    return undefined
  }
}
