import type { Credentials } from '../../../../core/access/viewer.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { SecretBox } from '../../../../core/platform/crypto/secret-box.ts'
import { members, parseJson, textOf } from '../../../../core/platform/json-members.ts'

/** Seconds. */
export const TOKEN_LIFETIME = 3600
const CONTEXT = 'container registry token'

export type ContainerTokens = ReturnType<typeof createContainerTokens>

/**
 * Tokens that clients exchange their credentials for. A token contains these credentials, sealed, so that they are
 * checked again at every request: one that was revoked ends its tokens too, on every node.
 */
export function createContainerTokens({ secrets, clock }: { readonly secrets: SecretBox; readonly clock: Clock }) {
  return {
    /** Without credentials, a token for anonymous requests. */
    issue(credentials: Extract<Credentials, { kind: 'basic' }> | undefined): string {
      const until = clock.now() + TOKEN_LIFETIME * 1000
      const claims = { until, user: credentials?.user ?? '', password: credentials?.password ?? '' }
      return secrets.seal(JSON.stringify(claims), CONTEXT)
    },
    /** Undefined for a token of another kind, and for one that has expired. */
    read(token: string): Credentials | undefined {
      const claims = members(parseJson(open(secrets, token))?.value)
      if (typeof claims['until'] !== 'number' || claims['until'] <= clock.now()) return undefined
      const user = textOf(claims['user'])
      const password = textOf(claims['password'])
      if (user === '' && password === '') return { kind: 'none' }
      return { kind: 'basic', user, password, otp: undefined }
    },
  }
}

function open(secrets: SecretBox, token: string): string {
  try {
    return secrets.open(token, CONTEXT)
  } catch {
    return ''
  }
}
