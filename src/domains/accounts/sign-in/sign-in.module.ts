import type { Authenticate, Actor } from '../../../core/access/viewer.ts'
import { parseSshPublicKey } from '../../../core/platform/ssh/key.ts'
import { errors } from '../../errors.ts'
import { createHook, createPort, type Port } from '../../../core/platform/hook.ts'
import { type Core, defineModule, type Services } from '../../../core/module.ts'
import { findLogin, type User } from '../users/user.store.ts'
import { type BearerTokens, createAuthenticate, type JobTokens } from './authenticate.service.ts'
import { type RedirectTargets, withForms } from './web/browser.ts'
import { createCookieJar } from './web/cookies.ts'
import { registerExternal } from './external/external.routes.ts'
import { registerProviders } from './external/providers.routes.ts'
import { createKeyLogins, type KeyLogins } from './key-logins.service.ts'
import { LoginThrottle } from './login-throttle.ts'
import { registerNewPassword } from './web/new-password.routes.ts'
import { createPasskeys, type Passkeys } from './passkeys/passkeys.service.ts'
import { registerPasskeys } from './passkeys/passkeys.routes.ts'
import { createPasswordCheck } from './password-check.service.ts'
import { createRegisterByProxy, type RegisterByProxy, createSessions, type Sessions } from './web/web.service.ts'
import { registerSignIn } from './web/sign-in.routes.ts'
import { createSignatureLogin } from './signature-login.service.ts'
import { createSignedTextLogin } from './signed-text-login.service.ts'
import { TokenUse } from './tokens/token-use.ts'
import { tokenOperations } from './tokens/tokens.operations.ts'
import { createTokens, type Tokens } from './tokens/tokens.service.ts'
import { twoFactorOperations } from './two-factor/two-factor.operations.ts'
import { createTwoFactor, sealedTwoFactorColumns, type TwoFactorAuth } from './two-factor/two-factor.service.ts'
import { signInEvents } from './sign-in.events.ts'
import { createSignInRecords, type SignInRecords } from './sign-in-records.service.ts'
import { sessionProjections } from './users.projection.ts'
import type { TokenRepos } from './tokens/token-repos.ts'

declare module '../../../core/module.ts' {
  interface Services {
    readonly authenticate: Authenticate
    readonly bearerTokens: BearerTokens
    readonly jobTokens: JobTokens
    readonly keyLogins: KeyLogins
    readonly passkeys: Passkeys
    readonly redirectTargets: RedirectTargets
    readonly signInRecords: SignInRecords
    readonly sessions: Sessions
    readonly tokens: Tokens
    readonly tokenUse: TokenUse
    readonly twoFactor: TwoFactorAuth
    /** Implemented by the module that authorizes repositories. */
    readonly tokenRepos: Port<TokenRepos>
  }
  interface Tuning {
    readonly loginAttempts: number
  }
}

/** The number of wrong passwords or codes of one account from one address before responses are delayed. */
const LOGIN_ATTEMPTS = 10

const HOUR_SECONDS = 3600

/** Authentication of requests: passwords, access tokens, keys, browser sessions, and the sign-in pages. */
export const module = defineModule({
  name: 'sign-in',
  needs: ['oidcSignIn', 'passwordSources', 'users'],
  create(core, { oidcSignIn, passwordSources, users }, guards) {
    const { clock, site } = core
    const { checkPassword, ...services } = createServices(core, { passwordSources, users })
    const { keyLogins, tokens, tokenUse, twoFactor } = services
    return {
      services,
      operations: [...tokenOperations({ guards, tokens }), ...twoFactorOperations({ twoFactor })],
      events: signInEvents,
      projections: sessionProjections,
      sealedColumns: [sealedTwoFactorColumns],
      routes: (http) =>
        withForms(http, (scope) => {
          const deps = {
            ...services,
            checkPassword,
            records: services.signInRecords,
            rateLimit: core.rateLimits.passwords,
            clock,
            log: core.log,
            secrets: core.secrets,
            providers: oidcSignIn,
            findLogin: (name: string) => findLogin(core.database.read, name),
            changePassword: async (actor: Actor, user: User, password: string) => {
              if ((await passwordSources.decider(user.name, user)) !== undefined) throw errors.passwordOfDirectory()
              return users.edit(actor, user, { password, mustChangePassword: false })
            },
            jar: createCookieJar(site.rootUrl),
            rootUrl: site.rootUrl,
          }
          registerSignIn(scope, deps)
          registerNewPassword(scope, deps)
          registerPasskeys(scope, deps)
          registerExternal(scope, deps)
          registerProviders(scope, deps)
        }),
      async close() {
        await Promise.all([tokenUse.flush(), keyLogins.flush(), services.signInRecords.flush()])
      },
    }
  },
})

function createServices(
  {
    config: { security, service, ssh },
    database,
    clock,
    events,
    log,
    passwords,
    processes,
    rateLimits,
    secrets,
    site,
    tuning: { loginAttempts: attempts = LOGIN_ATTEMPTS },
  }: Core,
  { passwordSources, users }: Pick<Services, 'passwordSources' | 'users'>,
) {
  const throttle = new LoginThrottle(clock, attempts, processes)
  const signInRecords = createSignInRecords({ database, clock, events, log })
  // Slows down guessing for the API and the pages together.
  const checkPassword = createPasswordCheck({
    database,
    throttle,
    passwords,
    sources: passwordSources,
    rateLimit: rateLimits.passwords,
    records: signInRecords,
  })
  const tokenUse = new TokenUse(database, log)
  const keyLogins = createKeyLogins({
    database,
    clock,
    log,
    authorities: trustedAuthorities(ssh.trusted_user_ca_keys),
  })
  const twoFactor = createTwoFactor({
    database,
    clock,
    events,
    secrets,
    issuer: () => new URL(site.rootUrl()).host,
    attempts,
    processes,
  })
  const passkeys = createPasskeys({
    database,
    clock,
    events,
    log,
    secrets,
    rootUrl: site.rootUrl,
    rateLimit: rateLimits.passwords,
    records: signInRecords,
  })
  const bearerTokens: BearerTokens = createHook()
  const jobTokens: JobTokens = createHook()
  const authenticate = createAuthenticate({
    database,
    clock,
    checkPassword,
    bearerTokens,
    jobTokens,
    tokenUse,
    passkeys,
    twoFactor,
    records: signInRecords,
    signatureLogin: createSignatureLogin({ database, clock, keyLogins }),
    signedTextLogin: createSignedTextLogin({ database, keyLogins }),
    registerByProxy: registerByProxy({ security, service }, users),
    settings: { basicEnabled: service.enable_basic_authentication },
  })
  const tokenRepos = createPort<TokenRepos>('authorization of repositories')
  const sessions = createSessions({ database, clock, events, lifetime: security.session_lifetime * HOUR_SECONDS })
  return {
    authenticate,
    bearerTokens,
    jobTokens,
    checkPassword,
    keyLogins,
    passkeys,
    tokenUse,
    twoFactor,
    signInRecords,
    redirectTargets: createHook() as RedirectTargets,
    sessions,
    tokenRepos,
    tokens: createTokens({ database, clock, events, repos: tokenRepos }),
  }
}

function registerByProxy(
  { security, service }: Pick<Core['config'], 'security' | 'service'>,
  users: Services['users'],
): RegisterByProxy | undefined {
  if (!service.enable_reverse_proxy_auto_registration) return undefined
  return createRegisterByProxy(users, {
    takesEmail: service.enable_reverse_proxy_email,
    takesFullName: service.enable_reverse_proxy_full_name,
    minPasswordLength: security.min_password_length,
  })
}

/** Fingerprints of the authorities that the operator trusts. An unreadable key prevents the start of the server. */
function trustedAuthorities(lines: readonly string[]): ReadonlySet<string> {
  return new Set(
    lines.map((line) => {
      try {
        return parseSshPublicKey(line).fingerprint
      } catch (error) {
        throw new Error(`ssh.trusted_user_ca_keys: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        })
      }
    }),
  )
}
