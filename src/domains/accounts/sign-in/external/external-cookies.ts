import type { FastifyReply, FastifyRequest } from 'fastify'
import type { SignInSourceId } from '../../../../core/platform/crypto/ids.ts'
import type { Pending } from '../../sign-in-sources/oidc/oidc-client.ts'
import type { SignInDeps } from '../web/browser.ts'

/** A sign-in that this browser began. */
export interface PendingSignIn {
  readonly id: SignInSourceId
  readonly pending: Pending
  /** The path to continue at. */
  readonly to: string
  /** Whether an account that exists is to be linked. */
  readonly links: boolean
}

/** A person whom a provider signed in. */
export interface LinkOffer {
  readonly id: SignInSourceId
  /** The name of the source. */
  readonly name: string
  readonly subject: string
  readonly loginName: string
}

/** The provider at which the user of the session signed in. */
interface ProviderSession {
  readonly id: SignInSourceId
  /** Identifies the user at the provider's sign-out; empty if there is none, or if it does not fit into a cookie. */
  readonly idToken: string
}

interface Values {
  pending: PendingSignIn
  link: LinkOffer
  provider: ProviderSession
}

const LIFETIME_SECONDS = 15 * 60

type Deps = Pick<SignInDeps, 'secrets' | 'clock' | 'jar'>

const contextOf = (kind: keyof Values): string => `sign_in.external.${kind}`

/** Encrypted, so that browsers cannot make or change it. */
export function sealCookie<Kind extends keyof Values>(
  { secrets, clock, jar }: Deps,
  reply: FastifyReply,
  { kind, value, seconds = LIFETIME_SECONDS }: { kind: Kind; value: Values[Kind]; seconds?: number },
): void {
  const until = clock.now() + seconds * 1000
  jar.set(reply, kind, secrets.seal(JSON.stringify({ value, until }), contextOf(kind)), seconds)
}

/** Undefined without the cookie, and for an expired one. */
export function openCookie<Kind extends keyof Values>(
  { secrets, clock, jar }: Deps,
  request: FastifyRequest,
  kind: Kind,
): Values[Kind] | undefined {
  try {
    const { value, until } = JSON.parse(secrets.open(jar.read(request, kind), contextOf(kind))) as {
      readonly value: Values[Kind]
      readonly until: number
    }
    return until > clock.now() ? value : undefined
  } catch {
    return undefined
  }
}
