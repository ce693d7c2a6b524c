import type { RepoId, TokenId, UserId } from '../platform/crypto/ids.ts'
import type { RequestSource, RequestClient } from '../platform/request-source.ts'
import { clientNetwork } from '../platform/http/client-network.ts'
import type { SignableRequest } from '../platform/http/signature.ts'

/** Categories of token scopes in the order of the normal form (behaviour/auth-and-access#scopes). */
export const SCOPE_CATEGORIES = [
  'activitypub',
  'admin',
  'misc',
  'notification',
  'organization',
  'package',
  'issue',
  'repository',
  'user',
] as const
export type ScopeCategory = (typeof SCOPE_CATEGORIES)[number]
export type ScopeLevel = 'read' | 'write'

export interface ScopeSet {
  readonly publicOnly: boolean
  readonly levels: ReadonlyMap<ScopeCategory, ScopeLevel>
}

const everything = new Map(SCOPE_CATEGORIES.map((category) => [category, 'write' as const]))

/** The scopes of a password. */
export const ALL_SCOPES: ScopeSet = { publicOnly: false, levels: everything }

export type ParsedScopes =
  { readonly ok: true; readonly scopes: ScopeSet } | { readonly ok: false; readonly wrong: string }

/** Entries may be comma-separated lists; empty pieces are skipped; names are case-sensitive. */
export function parseScopes(entries: readonly string[]): ParsedScopes {
  const levels = new Map<ScopeCategory, ScopeLevel>()
  let publicOnly = false
  for (const name of entries.flatMap((entry) => entry.split(',')).filter((piece) => piece !== '')) {
    if (name === 'public-only') publicOnly = true
    else if (name === 'all') for (const category of SCOPE_CATEGORIES) levels.set(category, 'write')
    else {
      const [level, category] = name.split(':') as [string, string | undefined]
      if ((level !== 'read' && level !== 'write') || !isCategory(category) || name.split(':').length !== 2)
        return { ok: false, wrong: name }
      if (level === 'write' || !levels.has(category)) levels.set(category, level)
    }
  }
  return { ok: true, scopes: { publicOnly, levels } }
}

/** The normal form: no duplicates, no implied entries, fixed order, `all` for everything. */
export function formatScopes(scopes: {
  readonly publicOnly: boolean
  readonly levels: ReadonlyMap<string, string>
}): string[] {
  const names = SCOPE_CATEGORIES.flatMap((category) => {
    const level = scopes.levels.get(category)
    return level === undefined ? [] : [`${level}:${category}`]
  })
  const full = SCOPE_CATEGORIES.every((category) => scopes.levels.get(category) === 'write')
  return [...(scopes.publicOnly ? ['public-only'] : []), ...(full ? ['all'] : names)]
}

/** The first required scope that is missing, or undefined when all are there. `write` includes `read`. */
export function missingScope(
  scopes: ScopeSet,
  level: ScopeLevel,
  categories: readonly ScopeCategory[],
): string | undefined {
  const missing = categories.find((category) => {
    const granted = scopes.levels.get(category)
    return granted === undefined || (level === 'write' && granted === 'read')
  })
  return missing === undefined ? undefined : `${level}:${missing}`
}

function isCategory(text: string | undefined): text is ScopeCategory {
  return SCOPE_CATEGORIES.includes(text as ScopeCategory)
}

export type Visibility = 'public' | 'limited' | 'private'

/** The facts of an account that decisions depend on. */
export interface Account {
  readonly id: UserId
  readonly name: string
  readonly kind: 'individual' | 'organization' | 'bot'
  readonly visibility: Visibility
  readonly isAdmin: boolean
  readonly isRestricted: boolean
  readonly isActive: boolean
  readonly isLoginProhibited: boolean
  readonly mustChangePassword: boolean
}

interface Anonymous {
  readonly kind: 'anonymous'
}

/** The rights of the token of a workflow job in the repository of the job. */
export interface JobRights {
  readonly runId: number
  readonly repoId: RepoId
  /** The owner of the repository. */
  readonly ownerId: UserId
  /** Levels, keyed by the name of the unit. */
  readonly units: ReadonlyMap<string, ScopeLevel>
}

export interface SignedIn {
  readonly kind: 'user'
  readonly account: Account
  /** The scopes of the credentials; passwords and the reverse proxy have all. */
  readonly scopes: ScopeSet
  /** How the credentials were sent: token routes require Basic or the reverse proxy. */
  readonly method:
    'password' | 'basic-token' | 'header-token' | 'query-token' | 'reverse-proxy' | 'ssh-key' | 'http-signature'
  readonly tokenId: TokenId | undefined
  /** The only repositories a restricted token may see; undefined is all. */
  readonly onlyRepos: ReadonlySet<RepoId> | undefined
  /** The deploy key that acts in the name of the repository's owner, who takes no part in it. */
  readonly deployKeyId?: number
  /** The workflow job that acts; outside of its repository it has the rights of anonymous viewers. */
  readonly job?: JobRights
  /** The SSH key of the account that signed the request. */
  readonly keyId?: number
  /** The OAuth2 application that the token was issued to. */
  readonly applicationId?: number
  /** The directory that has checked the password. */
  readonly directoryId?: number | undefined
  /** The source recorded with a change; undefined for reads and for work outside of a request. */
  readonly source?: RequestSource
}

export type Viewer = Anonymous | SignedIn

/**
 * The account that changes something: a signed-in viewer is one. The events that the change appends are attributed to
 * it, and the audit log records its source.
 */
export interface Actor {
  readonly account: { readonly id: UserId | 0 }
  readonly source?: RequestSource | undefined
  /** The scopes of the credentials, as of a signed-in viewer; all when absent. */
  readonly scopes?: ScopeSet | undefined
  readonly onlyRepos?: ReadonlySet<RepoId> | undefined
  readonly deployKeyId?: number | undefined
}

/** No account acts: sign-up, background work. */
export const systemActor: Actor = { account: { id: 0 } }
/** An operator at the command line. */
export const commandLine: Actor = {
  account: { id: 0 },
  source: { address: '', userAgent: '', credential: { kind: 'command-line', id: 0 } },
}
/** The account of an id that was stored earlier: of an event, a push or a transfer. */
export const actorOf = (id: UserId): Actor => ({ account: { id } })

export const ANONYMOUS: Viewer = { kind: 'anonymous' }

export const isSignedIn = (viewer: Viewer): viewer is SignedIn => viewer.kind === 'user'
export const isSiteAdmin = (viewer: Viewer): boolean => viewer.kind === 'user' && viewer.account.isAdmin
export const viewerId = (viewer: Viewer): UserId | undefined => (viewer.kind === 'user' ? viewer.account.id : undefined)
/** The caches that may store a response: shared caches only responses that everyone may read. */
export const cacheScope = ({ kind }: Viewer): 'private' | 'public' => (kind === 'anonymous' ? 'public' : 'private')
export const isSelf = (viewer: Viewer, userId: UserId): boolean =>
  viewer.kind === 'user' && viewer.account.id === userId
/** A viewer with all rights of the account, as after signing in with the password. */
export const viewerOfAccount = (account: Account): SignedIn => ({
  kind: 'user',
  account,
  scopes: ALL_SCOPES,
  method: 'password',
  tokenId: undefined,
  onlyRepos: undefined,
})

/** Restricted to some repositories: such a token reaches nothing else and changes nothing outside of them. */
export const isRestrictedToken = (viewer: Viewer): boolean => viewer.kind === 'user' && viewer.onlyRepos !== undefined
export const isPublicOnly = (viewer: Viewer): boolean => viewer.kind === 'user' && viewer.scopes.publicOnly

/**
 * Why an account may not use the API although its credentials are right, if so (behaviour/auth-and-access#refusals).
 */
export function decideAccountState(account: Account): 'allowed' | 'prohibited' | 'must-change-password' {
  if (!account.isActive || account.isLoginProhibited) return 'prohibited'
  return account.mustChangePassword ? 'must-change-password' : 'allowed'
}

/**
 * The key by which callers share the computing time of the server: the account, or the network of an anonymous caller.
 */
export const rateLimitKeyOf = (viewer: Viewer, address: string): string =>
  viewer.kind === 'user' ? `account ${viewer.account.id}` : `network ${clientNetwork(address)}`

/** Credentials as sent by the client, not verified. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string; readonly via: 'header' | 'query' }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string; readonly otp: string | undefined }
  | { readonly kind: 'signature'; readonly request: SignableRequest }
  | ({ readonly kind: 'signed-text' } & SignedText)
  | ({ readonly kind: 'proxy' } & ProxyAccount)

/** The account that a reverse proxy has signed in; e-mail and full name are empty when it does not send them. */
export interface ProxyAccount {
  readonly name: string
  readonly email: string
  readonly fullName: string
}

/** The signature of a request with an RSA key of the account, and the texts that it may cover. */
export interface SignedText {
  /** The name of the account. */
  readonly user: string
  /** The signature must be valid for one of these texts. */
  readonly texts: readonly string[]
  readonly signature: Buffer
  /** Undefined if the text itself was signed. */
  readonly hash: 'sha1' | 'sha256' | undefined
}

/**
 * Returns the viewer of the credentials. Throws unauthenticated if they are wrong, too-many-requests after many wrong
 * ones.
 */
export type Authenticate = (credentials: Credentials, client: RequestClient) => Promise<Viewer>

const OTP_HEADERS = ['x-forge-otp', 'x-ingot-otp', 'x-forgejo-otp', 'x-gitea-otp']

export type Headers = Readonly<Record<string, string | string[] | undefined>>

/**
 * Reads the Authorization header: `token T`, `Bearer T` or `Basic`, schemes without regard to case. Anything else,
 * broken Basic included, counts as no credentials (behaviour/auth-and-access#authentication-methods).
 */
export function parseAuthorization(headers: Headers): Credentials {
  const parts = one(headers['authorization'])?.trim().split(/\s+/) ?? []
  const [scheme, value] = parts
  if (parts.length !== 2 || scheme === undefined || value === undefined) return { kind: 'none' }
  switch (scheme.toLowerCase()) {
    case 'token':
    case 'bearer':
      return { kind: 'token', token: value, via: 'header' }
    case 'basic':
      return parseBasic(value, headers)
    default:
      return { kind: 'none' }
  }
}

function parseBasic(encoded: string, headers: Headers): Credentials {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return { kind: 'none' }
  // NOTE: no name or password contains a NUL, and PostgreSQL accepts none.
  const text = Buffer.from(encoded, 'base64').toString('utf8').replaceAll('\0', '\ufffd')
  const colon = text.indexOf(':')
  if (colon < 0) return { kind: 'none' }
  const otp = OTP_HEADERS.map((name) => one(headers[name])).find((code) => code !== undefined && code !== '')
  return { kind: 'basic', user: text.slice(0, colon), password: text.slice(colon + 1), otp }
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
