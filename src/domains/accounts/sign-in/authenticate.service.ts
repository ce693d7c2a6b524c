import type { Core } from '../../../core/module.ts'
import {
  type Authenticate,
  type Credentials,
  type JobRights,
  type ProxyAccount,
  ANONYMOUS,
  type SignedIn,
  type Viewer,
  ALL_SCOPES,
  parseScopes,
  type ScopeSet,
} from '../../../core/access/viewer.ts'
import type { Hook } from '../../../core/platform/hook.ts'
import { credentialOf } from '../../../core/http/caller.ts'
import { sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import { errors } from '../../errors.ts'
import type { RequestClient } from '../../../core/platform/request-source.ts'
import { type User, findUserByName, JOBS_USER } from '../users/user.store.ts'
import type { Passkeys } from './passkeys/passkeys.service.ts'
import type { PasswordCheck } from './password-check.service.ts'
import type { RegisterByProxy } from './web/web.service.ts'
import type { SignInRecords } from './sign-in-records.service.ts'
import type { SignatureLogin } from './signature-login.service.ts'
import type { SignedTextLogin } from './signed-text-login.service.ts'
import type { TokenUse } from './tokens/token-use.ts'
import { findTokenByHash } from './tokens/token.store.ts'
import type { TwoFactorAuth } from './two-factor/two-factor.service.ts'

interface BearerAccess {
  readonly user: User
  readonly scopes: ScopeSet
  /** The OAuth2 application that the token was issued to. */
  readonly applicationId: number
}

/**
 * Readers of bearer tokens other than personal access tokens, registered by the modules that issue them. A reader
 * returns undefined for tokens of another kind and for invalid ones.
 */
export type BearerTokens = Hook<[token: string], BearerAccess | undefined>

/** The rights of the running workflow job that has a token; undefined for other tokens. */
export type JobTokens = Hook<[token: string], JobRights | undefined>

export interface AuthenticateDeps extends Pick<Core, 'database' | 'clock'> {
  readonly checkPassword: PasswordCheck
  readonly bearerTokens: BearerTokens
  readonly jobTokens: JobTokens
  /** Creates the account that the reverse proxy names; undefined when the configuration does not allow it. */
  readonly registerByProxy: RegisterByProxy | undefined
  readonly signatureLogin: SignatureLogin
  readonly signedTextLogin: SignedTextLogin
  readonly tokenUse: TokenUse
  readonly twoFactor: Pick<TwoFactorAuth, 'isEnabled' | 'check'>
  readonly passkeys: Pick<Passkeys, 'isEnrolled'>
  readonly records: Pick<SignInRecords, 'accepted' | 'failed'>
  readonly settings: { readonly basicEnabled: boolean }
}

/** Methods whose sign-ins are recorded. Tokens are recorded when they are created, not at every use. */
const RECORDED: ReadonlySet<SignedIn['method']> = new Set(['password', 'http-signature', 'reverse-proxy'])
const TOKEN = /^[0-9a-f]{40}$/

/**
 * Turns credentials into a viewer. Throws `unauthenticated` for wrong credentials; returns the anonymous viewer without
 * any.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const byToken = async (token: string, method: SignedIn['method']): Promise<SignedIn | undefined> => {
    if (token.includes('.')) return authenticateBearerToken(deps, token, method)
    const viewer = await authenticateAccessToken(deps, token, method)
    return viewer ?? authenticateJob(deps, token, method)
  }

  const read = async (credentials: Credentials, client: RequestClient): Promise<Viewer> => {
    switch (credentials.kind) {
      case 'none':
        return ANONYMOUS
      case 'token': {
        const viewer = await byToken(credentials.token, credentials.via === 'query' ? 'query-token' : 'header-token')
        if (viewer === undefined)
          deps.records.failed({ client, credential: { kind: 'access-token', id: 0 }, userId: 0 })
        return requireViewer(viewer)
      }
      case 'signature':
        // COMPAT: an invalid signature counts as no credentials (behaviour/auth-and-access#authentication-methods;
        // test/accounts/sign-in/signatures.test.ts).
        return (await deps.signatureLogin(credentials.request)) ?? ANONYMOUS
      case 'signed-text':
        return requireViewer(await deps.signedTextLogin(credentials))
      case 'proxy':
        return requireViewer(await authenticateProxy(deps, credentials))
      case 'basic': {
        const viewer = await byToken(tokenOfBasic(credentials.user, credentials.password), 'basic-token')
        if (viewer) return viewer
        // When passwords are disabled they are ignored, as if the request had none
        // (behaviour/auth-and-access#authentication-methods).
        if (!deps.settings.basicEnabled) return ANONYMOUS
        const { user, sourceId } = await deps.checkPassword(credentials.user, credentials.password, client)
        const accepted = { ...signedIn(user, ALL_SCOPES, 'password'), directoryId: sourceId }
        await requireCode(deps, accepted, { code: credentials.otp, client })
        return accepted
      }
    }
  }
  return async (credentials, client) => {
    const viewer = await read(credentials, client)
    if (viewer.kind === 'user' && RECORDED.has(viewer.method))
      deps.records.accepted({ account: viewer.account, source: { ...client, credential: credentialOf(viewer) } })
    return viewer
  }
}

async function requireCode(
  { passkeys, twoFactor, records }: Pick<AuthenticateDeps, 'passkeys' | 'twoFactor' | 'records'>,
  viewer: SignedIn,
  { code, client }: { readonly code: string | undefined; readonly client: RequestClient },
): Promise<void> {
  const { id } = viewer.account
  const hasCodes = await twoFactor.isEnabled(id)
  if (!hasCodes && !(await passkeys.isEnrolled(id))) return
  if (hasCodes && code !== undefined && (await twoFactor.check(id, code))) return
  records.failed({ client, credential: credentialOf(viewer), userId: id })
  // Clients of the API have no passkeys.
  if (!hasCodes) throw errors.passkeyRequired()
  // COMPAT: more specific than the message for a wrong password; only clients with the right password get it
  // (behaviour/auth-and-access#authentication-methods; test/accounts/sign-in/two-factor.test.ts).
  throw errors.oneTimeCodeRefused()
}

/**
 * Basic credentials contain a token as the password of any user, or as the user with an empty or well-known password.
 */
function tokenOfBasic(user: string, password: string): string {
  return password === '' || password === 'x-oauth-basic' ? user : password
}

async function authenticateAccessToken(
  { database, clock, tokenUse }: AuthenticateDeps,
  value: string,
  method: SignedIn['method'],
): Promise<SignedIn | undefined> {
  if (!TOKEN.test(value)) return undefined
  const found = await findTokenByHash(database.read, sha256Hex(value))
  if (found === undefined) return undefined
  const { token, user } = found
  const now = clock.now()
  if (token.expiresAt !== 0 && token.expiresAt <= now) return undefined
  tokenUse.record(token, now)
  const onlyRepos = token.onlyRepos && new Set(token.onlyRepos)
  return { ...signedIn(user, scopesOf(token.scopes), method), tokenId: token.id, onlyRepos }
}

async function authenticateBearerToken(
  { bearerTokens }: AuthenticateDeps,
  token: string,
  method: SignedIn['method'],
): Promise<SignedIn | undefined> {
  const found = await bearerTokens.first(token)
  return found && { ...signedIn(found.user, found.scopes, method), applicationId: found.applicationId }
}

/** Outside of repositories, jobs access only public objects; `user` is for the account to which their token belongs. */
const JOB_SCOPES: ScopeSet = {
  publicOnly: false,
  levels: new Map([
    ['misc', 'read'],
    ['organization', 'read'],
    ['package', 'write'],
    ['issue', 'write'],
    ['repository', 'write'],
    ['user', 'read'],
  ]),
}

async function authenticateJob(
  { jobTokens }: AuthenticateDeps,
  token: string,
  method: SignedIn['method'],
): Promise<SignedIn | undefined> {
  const job = TOKEN.test(token) ? await jobTokens.first(token) : undefined
  return job && { ...signedIn(JOBS_USER, JOB_SCOPES, method), job }
}

/**
 * Tokens from before the introduction of scopes have no scopes and full access
 * (behaviour/base-interface#authentication).
 */
function scopesOf(text: string): ScopeSet {
  if (text === '' || text === 'all') return ALL_SCOPES
  const result = parseScopes([text])
  return result.ok ? result.scopes : { publicOnly: true, levels: new Map() }
}

async function authenticateProxy(deps: AuthenticateDeps, account: ProxyAccount): Promise<SignedIn | undefined> {
  const user = (await findUserByName(deps.database.read, account.name)) ?? (await deps.registerByProxy?.(account))
  return user?.kind === 'individual' ? signedIn(user, ALL_SCOPES, 'reverse-proxy') : undefined
}

function signedIn(account: User, scopes: ScopeSet, method: SignedIn['method']): SignedIn {
  return { kind: 'user', account, scopes, method, tokenId: undefined, onlyRepos: undefined }
}

function requireViewer(viewer: SignedIn | undefined): SignedIn {
  if (viewer === undefined) throw errors.wrongCredentials()
  return viewer
}
