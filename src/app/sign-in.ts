import type { Database } from '../db/database.ts'
import { createOauthApplications, type OauthApplications } from '../domain/oauth/index.ts'
import type { Clock } from '../platform/clock.ts'

export interface SignInServices {
  readonly oauthApplications: OauthApplications
}

/** What stands behind signing in with more than a password or an access token. */
export function createSignInServices(core: { readonly database: Database; readonly clock: Clock }): SignInServices {
  return { oauthApplications: createOauthApplications(core) }
}
