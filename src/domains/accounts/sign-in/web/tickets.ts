import { decideAccountState } from '../../../../core/access/viewer.ts'
import type { User } from '../../users/user.store.ts'
import type { SignInDeps } from './browser.ts'

/**
 * The next step of a browser that sent the right password: a one-time code, or a new password.
 */
interface Place {
  readonly step: 'code' | 'change'
  /** Binds the ticket to the browser. */
  readonly cookie: string
}

const TICKET_MS = 5 * 60_000
const contextOf = ({ step, cookie }: Place): string => `sign_in.${step}:${cookie}`

export function makeTicket({ secrets, clock }: SignInDeps, user: User, place: Place): string {
  return secrets.seal(
    JSON.stringify({ name: user.name, id: user.id, until: clock.now() + TICKET_MS }),
    contextOf(place),
  )
}

/** Undefined for an expired ticket, a ticket of another browser or step, and an account that may not sign in. */
export async function readTicket(
  { secrets, clock, findUser }: SignInDeps,
  ticket: string,
  place: Place,
): Promise<User | undefined> {
  const claims = open(secrets, ticket, contextOf(place))
  if (claims === undefined || claims.until <= clock.now()) return undefined
  const user = await findUser(claims.name)
  return user?.id === claims.id && decideAccountState(user) !== 'prohibited' ? user : undefined
}

function open(
  secrets: SignInDeps['secrets'],
  ticket: string,
  context: string,
): { name: string; id: number; until: number } | undefined {
  try {
    return JSON.parse(secrets.open(ticket, context)) as { name: string; id: number; until: number }
  } catch {
    return undefined
  }
}
