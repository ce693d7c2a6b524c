import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { createTwoFactor, type TwoFactorAuth } from '../domain/access/index.ts'
import { createOauthApplications, type OauthApplications } from '../domain/oauth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { createSecretBox, type SecretBox } from '../platform/secret-box.ts'
import { loadSecretKey } from './secret-key.ts'

export interface SignInServices {
  readonly oauthApplications: OauthApplications
  readonly twoFactor: TwoFactorAuth
  readonly signInSecrets: SecretBox
}

interface SignInDeps {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly dataDir: string
  rootUrl(): string
}

/** What stands behind signing in with more than a password or an access token. */
export function createSignInServices({ config, dataDir, rootUrl, ...core }: SignInDeps): SignInServices {
  const { security } = config
  const secrets = createSecretBox(loadSecretKey(security.secret_key, dataDir))
  return {
    oauthApplications: createOauthApplications(core),
    twoFactor: createTwoFactor({ ...core, secrets, issuer: () => new URL(rootUrl()).host, attempts: security.login_attempts }),
    signInSecrets: secrets,
  }
}
