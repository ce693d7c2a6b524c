import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Credentials, ProxyAccount } from '../../access/credentials.ts'
import { ALL_SCOPES, parseScopes, type ScopeSet } from '../../access/scopes.ts'
import { ANONYMOUS, type SignedIn, type Viewer } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../platform/clock.ts'
import { hashPassword, hmacSha256Hex, sha256Hex, verifyPassword } from '../../platform/crypto.ts'
import { unauthenticated } from '../../platform/errors.ts'
import { boundedCache } from '../../platform/lru.ts'
import { findLogin, findUserByName, type User } from '../users/user.store.ts'
import type { LoginThrottle } from './login-throttle.ts'
import type { SignatureLogin } from './signature-login.ts'
import type { TokenUse } from './token-use.ts'
import { findTokenByHash } from './token.store.ts'
import type { TwoFactorAuth } from './two-factor.service.ts'

export interface AuthenticateSettings {
  readonly basicEnabled: boolean
}

export interface AuthenticateDeps {
  readonly database: Database
  readonly clock: Clock
  readonly checkPassword: PasswordCheck
  /** Reads access tokens of the OAuth2 provider, where there is one. */
  readonly readOauthToken?: (token: string) => Promise<{ readonly user: User; readonly scopes: ScopeSet } | undefined>
  /** Makes the account that the reverse proxy speaks of, where that is allowed; undefined when it cannot be made. */
  readonly registerByProxy?: ((account: ProxyAccount) => Promise<User | undefined>) | undefined
  readonly signatureLogin: SignatureLogin
  readonly tokenUse: TokenUse
  readonly twoFactor: Pick<TwoFactorAuth, 'isEnabled' | 'check'>
  readonly settings: AuthenticateSettings
}

/** The account of a login name or activated address and its password. Throws unauthenticated; slows guessing down. */
export type PasswordCheck = (login: string, password: string, address: string) => Promise<User>

export type Authenticate = (credentials: Credentials, address: string) => Promise<Viewer>

const WRONG = 'invalid username, password or token'
/** COMPAT: says more than a wrong password does; who hears it knows the password (reference auth-and-access §2). */
export const ONE_TIME_CODE_REFUSED = 'invalid provided OTP'
const TOKEN = /^[0-9a-f]{40}$/
const REMEMBER_MS = 60_000

/** Turns credentials into a viewer; wrong ones throw `unauthenticated`, none give the anonymous viewer. */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const byToken = (token: string, method: SignedIn['method']): Promise<SignedIn | undefined> =>
    authenticateToken(deps, token, method)

  return async (credentials, address) => {
    switch (credentials.kind) {
      case 'none':
        return ANONYMOUS
      case 'token':
        return orWrong(await byToken(credentials.token, credentials.via === 'query' ? 'query-token' : 'header-token'))
      case 'signature':
        // COMPAT: a signature that does not hold is none (reference auth-and-access §2).
        return (await deps.signatureLogin(credentials.request)) ?? ANONYMOUS
      case 'proxy':
        return orWrong(await authenticateProxy(deps, credentials))
      case 'basic': {
        const viewer = await byToken(tokenOfBasic(credentials.user, credentials.password), 'basic-token')
        if (viewer) return viewer
        // Passwords that are switched off are not looked at, as if there were none (reference auth-and-access §2).
        if (!deps.settings.basicEnabled) return ANONYMOUS
        const user = await deps.checkPassword(credentials.user, credentials.password, address)
        await requireCode(deps.twoFactor, user, credentials.otp)
        return signedIn(user, ALL_SCOPES, 'password')
      }
    }
  }
}

async function requireCode(
  twoFactor: AuthenticateDeps['twoFactor'],
  { id }: User,
  code: string | undefined,
): Promise<void> {
  if (!(await twoFactor.isEnabled(id))) return
  if (code === undefined || !(await twoFactor.check(id, code))) throw unauthenticated(ONE_TIME_CODE_REFUSED)
}

/** A token is the password of any user, or the user with an empty or well-known password. */
function tokenOfBasic(user: string, password: string): string {
  return password === '' || password === 'x-oauth-basic' ? user : password
}

async function authenticateToken(
  deps: AuthenticateDeps,
  token: string,
  method: SignedIn['method'],
): Promise<SignedIn | undefined> {
  if (token.includes('.')) return authenticateOauthToken(deps, token, method)
  if (!TOKEN.test(token)) return undefined
  const found = await findTokenByHash(deps.database.read, sha256Hex(token))
  if (found === undefined) return undefined
  const now = deps.clock.now()
  if (found.token.expiresAt !== 0 && found.token.expiresAt <= now) return undefined
  deps.tokenUse.record(found.token, now)
  const onlyRepos = found.token.onlyRepos && new Set(found.token.onlyRepos)
  return { ...signedIn(found.user, storedScopes(found.token.scopes), method), tokenId: found.token.id, onlyRepos }
}

async function authenticateOauthToken(
  { readOauthToken }: AuthenticateDeps,
  token: string,
  method: SignedIn['method'],
): Promise<SignedIn | undefined> {
  const found = await readOauthToken?.(token)
  return found && signedIn(found.user, found.scopes, method)
}

const parsed = new LRUCache<string, ScopeSet>({ max: 1000 })

/** Tokens made before scopes existed hold none and may do all (seed, Authentication 3). */
function storedScopes(text: string): ScopeSet {
  if (text === '') return ALL_SCOPES
  const known = parsed.get(text)
  if (known) return known
  const result = parseScopes([text])
  const scopes = result.ok ? result.scopes : { publicOnly: true, levels: new Map() }
  parsed.set(text, scopes)
  return scopes
}

async function authenticateProxy(deps: AuthenticateDeps, account: ProxyAccount): Promise<SignedIn | undefined> {
  const user = (await findUserByName(deps.database.read, account.name)) ?? (await deps.registerByProxy?.(account))
  return user?.kind === 'individual' ? signedIn(user, ALL_SCOPES, 'reverse-proxy') : undefined
}

function signedIn(account: User, scopes: ScopeSet, method: SignedIn['method']): SignedIn {
  return { kind: 'user', account, scopes, method, tokenId: undefined, onlyRepos: undefined }
}

function orWrong(viewer: SignedIn | undefined): SignedIn {
  if (viewer === undefined) throw unauthenticated(WRONG)
  return viewer
}

/**
 * Passwords cost a slow hash on the thread pool. A pair that was right is remembered for a minute under a key of this
 * process, so that scripts and git clients do not pay at every request; a changed password changes the key's input.
 */
export function createPasswordCheck(deps: {
  readonly database: Database
  readonly throttle: LoginThrottle
}): PasswordCheck {
  const key = randomBytes(32)
  const remembered = boundedCache<string, true>(10_000, REMEMBER_MS)
  const pending = new Map<string, Promise<boolean>>()
  // NOTE: an unknown name costs the same hash as a known one, so that time does not tell which names exist.
  const decoy = hashPassword('nobody')

  return async (login, password, address) => {
    const found = await findLogin(deps.database.read, login)
    const stored = found?.passwordHash || (await decoy)
    const mark = hmacSha256Hex(key, JSON.stringify([found?.user.id, stored, password]))
    if (found && remembered.has(mark) && !found.user.isLoginProhibited) return found.user
    await deps.throttle.before(login.toLowerCase(), address)
    const running = pending.get(mark) ?? verifyPassword(password, stored).finally(() => pending.delete(mark))
    pending.set(mark, running)
    const right = await running
    if (!found || !right || found.passwordHash === '' || found.user.isLoginProhibited) {
      deps.throttle.failed(login.toLowerCase(), address)
      throw unauthenticated(WRONG)
    }
    deps.throttle.succeeded(login.toLowerCase(), address)
    remembered.set(mark, true)
    return found.user
  }
}
