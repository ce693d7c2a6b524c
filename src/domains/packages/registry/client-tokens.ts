import type { Credentials } from '../../../core/access/viewer.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import type { SecretBox } from '../../../core/platform/crypto/secret-box.ts'
import { members, parseJson, textOf } from '../../../core/platform/json-members.ts'

export type ClientTokens = ReturnType<typeof createClientTokens>

interface ClientTokenDeps {
  readonly secrets: SecretBox
  readonly clock: Clock
}

interface ClientTokenKind {
  /** Tokens of one kind are not valid as those of another. */
  readonly context: string
  /** Seconds. */
  readonly lifetime: number
}

/**
 * Tokens that clients exchange their credentials for. A token contains these credentials, sealed, so that they are
 * checked again at every request: one that was revoked ends its tokens too, on every node.
 */
export function createClientTokens({ secrets, clock }: ClientTokenDeps, { context, lifetime }: ClientTokenKind) {
  const open = (token: string): string => {
    try {
      return secrets.open(token, context)
    } catch {
      return ''
    }
  }
  return {
    lifetime,
    /** Issues a token; without credentials, one for anonymous requests. */
    issue(credentials: Extract<Credentials, { kind: 'basic' }> | undefined): string {
      const until = clock.now() + lifetime * 1000
      const claims = { until, user: credentials?.user ?? '', password: credentials?.password ?? '' }
      return secrets.seal(JSON.stringify(claims), context)
    },
    /** Undefined for a token of another kind, and for one that has expired. */
    read(token: string): Credentials | undefined {
      const claims = members(parseJson(open(token))?.value)
      if (typeof claims['until'] !== 'number' || claims['until'] <= clock.now()) return undefined
      const user = textOf(claims['user'])
      const password = textOf(claims['password'])
      if (user === '' && password === '') return { kind: 'none' }
      return { kind: 'basic', user, password, otp: undefined }
    },
  }
}
