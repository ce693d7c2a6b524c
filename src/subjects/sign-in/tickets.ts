import { decideAccountState } from '../../access/viewer.ts'
import type { User } from '../users/index.ts'
import type { SignInDeps } from './browser.ts'

/**
 * What a browser may do next that gave the right password a moment ago: give a one-time code, or choose a new password.
 */
interface Place {
  readonly step: 'code' | 'change'
  /** Ties the ticket to the browser. */
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

/** Undefined for a ticket of another browser or step, one that is over, and an account that may not sign in. */
export async function readTicket(
  { secrets, clock, findUser }: SignInDeps,
  ticket: string,
  place: Place,
): Promise<User | undefined> {
  const said = open(secrets, ticket, contextOf(place))
  if (said === undefined || said.until <= clock.now()) return undefined
  const user = await findUser(said.name)
  return user?.id === said.id && decideAccountState(user) !== 'prohibited' ? user : undefined
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
