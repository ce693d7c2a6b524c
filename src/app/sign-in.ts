import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { ProxyAccount } from '../access/credentials.ts'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import { addCorsHeaders, answerPreflight, isPreflight } from '../http/cors.ts'
import type { Clock } from '../platform/clock.ts'
import { randomPassword } from '../platform/crypto.ts'
import { isDomainError } from '../platform/errors.ts'
import { createSecretBox, type SecretBox } from '../platform/secret-box.ts'
import type { Site } from '../platform/site.ts'
import { registerApplications } from '../subjects/oauth/applications.routes.ts'
import { createOauthApplications, type OauthApplications } from '../subjects/oauth/applications.service.ts'
import { registerAuthorize } from '../subjects/oauth/authorize.routes.ts'
import { OAUTH_PATHS, registerOauth } from '../subjects/oauth/oauth.routes.ts'
import { createOauthProvider, type OauthProvider } from '../subjects/oauth/provider.ts'
import {
  type Authenticate,
  createAuthenticate,
  createPasswordCheck,
  type PasswordCheck,
} from '../subjects/sign-in/authenticate.ts'
import { withForms } from '../subjects/sign-in/browser.ts'
import { createCookieJar } from '../subjects/sign-in/cookies.ts'
import type { KeyLogins } from '../subjects/sign-in/key-logins.ts'
import { LoginThrottle } from '../subjects/sign-in/login-throttle.ts'
import { registerNewPassword } from '../subjects/sign-in/new-password.routes.ts'
import { createSessions, type Sessions } from '../subjects/sign-in/sessions.service.ts'
import { registerSignIn } from '../subjects/sign-in/sign-in.routes.ts'
import { createSignatureLogin } from '../subjects/sign-in/signature-login.ts'
import type { TokenUse } from '../subjects/sign-in/token-use.ts'
import { createTwoFactor, type TwoFactorAuth } from '../subjects/sign-in/two-factor.service.ts'
import { avatarUrl } from '../subjects/users/user.present.ts'
import type { User } from '../subjects/users/user.store.ts'
import type { Users } from '../subjects/users/users.service.ts'
import { corsSettings } from './cors.ts'
import { loadSecretKey } from './secret-key.ts'

export interface SignInServices {
  readonly oauthApplications: OauthApplications
  /** Undefined where the configuration switches it off. */
  readonly oauthProvider: OauthProvider | undefined
  readonly sessions: Sessions
  readonly signInSecrets: SecretBox
  readonly twoFactor: TwoFactorAuth
}

interface SignInParts {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly site: Site
}

const HOUR_SECONDS = 3600

/** What stands behind signing in with more than a password or an access token. */
export function createSignInServices({
  config,
  dataDir,
  site,
  ...core
}: SignInParts & { readonly dataDir: string }): SignInServices {
  const { security, oauth2 } = config
  const secrets = createSecretBox(loadSecretKey(security.secret_key, dataDir))
  const { rootUrl } = site
  const settings = {
    accessLifetime: oauth2.access_token_expiration_time,
    refreshLifetime: oauth2.refresh_token_expiration_time * HOUR_SECONDS,
    rotate: oauth2.invalidate_refresh_tokens,
    signingAlgorithm: oauth2.jwt_signing_algorithm,
    maxTokenLength: oauth2.max_token_length,
    builtIn: oauth2.default_applications,
  }
  return {
    oauthApplications: createOauthApplications(core),
    oauthProvider: oauth2.enabled
      ? createOauthProvider({
          ...core,
          secrets,
          settings,
          rootUrl,
          issuer: () => oauth2.jwt_claim_issuer || rootUrl(),
          avatarUrl: (user) => avatarUrl(user, site),
        })
      : undefined,
    sessions: createSessions({ ...core, lifetime: security.session_lifetime * HOUR_SECONDS }),
    signInSecrets: secrets,
    twoFactor: createTwoFactor({
      ...core,
      secrets,
      issuer: () => new URL(rootUrl()).host,
      attempts: security.login_attempts,
    }),
  }
}

export interface Authentication {
  readonly authenticate: Authenticate
  /** Slows guessing down for the API and the pages together. */
  readonly checkPassword: PasswordCheck
}

type Core = SignInParts &
  SignInServices & { readonly keyLogins: KeyLogins; readonly tokenUse: TokenUse; readonly users: Users }

export function createAuthentication(core: Core): Authentication {
  const { config, database, clock, oauthProvider, users } = core
  const throttle = new LoginThrottle(clock, config.security.login_attempts)
  const checkPassword = createPasswordCheck({ database, throttle })
  const settings = { basicEnabled: config.service.enable_basic_authentication }
  const authenticate = createAuthenticate({
    ...core,
    signatureLogin: createSignatureLogin(core),
    checkPassword,
    settings,
    registerByProxy: proxyRegistration(config, users),
    ...(oauthProvider && { readOauthToken: oauthProvider.readAccessToken }),
  })
  return { authenticate, checkPassword }
}

/**
 * NOTE: the account gets a password that nobody knows: it comes in by the reverse proxy alone until somebody sets
 * another.
 */
function proxyRegistration(
  { service, security }: Config,
  users: Users,
): ((account: ProxyAccount) => Promise<User | undefined>) | undefined {
  if (!service.enable_reverse_proxy_auto_registration) return undefined
  return async ({ name, email, fullName }) => {
    try {
      return await users.create(0, {
        name,
        email: service.enable_reverse_proxy_email && email !== '' ? email : `${randomUUID()}@localhost`,
        fullName: service.enable_reverse_proxy_full_name ? fullName : '',
        password: randomPassword(security.min_password_length),
      })
    } catch (error) {
      // A name or address that is taken or not allowed; two requests at once find the account that the other one made.
      if (isDomainError(error, 'invalid')) return users.findByName(name)
      throw error
    }
  }
}

/** The pages on which users sign in, and the provider beside them. */
export async function openSignIn(http: FastifyInstance, core: Core & Authentication): Promise<void> {
  const { oauthProvider: provider, signInSecrets: secrets, users, site } = core
  const { rootUrl } = site
  const changePassword = (user: User, password: string): Promise<User> =>
    users.edit(user, { password, mustChangePassword: false })
  await withForms(http, (scope) => {
    const deps = {
      ...core,
      provider,
      secrets,
      findUser: users.findByName,
      changePassword,
      jar: createCookieJar(rootUrl),
      rootUrl,
    }
    registerSignIn(scope, deps)
    registerNewPassword(scope, deps)
    registerApplications(scope, deps)
    if (provider !== undefined) registerAuthorize(scope, { ...deps, provider })
  })
  if (provider === undefined) return
  const cors = corsSettings(core.config)
  await withForms(http, (scope) => {
    if (cors) scope.addHook('onRequest', async (request, reply) => addCorsHeaders(cors, request, reply))
    registerOauth(scope, { ...core, provider, rootUrl })
    for (const path of OAUTH_PATHS) {
      scope.options(path, async (request, reply) =>
        cors && isPreflight(request) ? answerPreflight(cors, request, reply) : reply.code(405).send(),
      )
    }
  })
}
