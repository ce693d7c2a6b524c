import { decideAccountState } from '../../../../core/access/viewer.ts'
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
  readonly until: number
}

export function makeTicket({ secrets, clock }: SignInDeps, { user, proof }: Begun, place: Place): string {
  const claims: Claims = { name: user.name, id: user.id, proof, until: clock.now() + TICKET_MS }
  return secrets.seal(JSON.stringify(claims), contextOf(place))
}

/**
 * Undefined for an expired ticket, a ticket of another browser or step, an account that may not sign in, and a step that
 * the account no longer needs: once its password was changed, the old password that a browser sent changes nothing.
 */
export async function readTicket(
  { secrets, clock, findUser }: SignInDeps,
  ticket: string,
  place: Place,
): Promise<Begun | undefined> {
  const claims = open(secrets, ticket, contextOf(place))
  if (claims === undefined || claims.until <= clock.now()) return undefined
  const user = await findUser(claims.name)
  if (user?.id !== claims.id || decideAccountState(user) === 'prohibited') return undefined
  if (place.step === 'change' && !user.mustChangePassword) return undefined
  return { user, proof: claims.proof }
}

function open(secrets: SignInDeps['secrets'], ticket: string, context: string): Claims | undefined {
  try {
    return JSON.parse(secrets.open(ticket, context)) as Claims
  } catch {
    return undefined
  }
}
