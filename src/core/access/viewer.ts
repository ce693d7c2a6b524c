import type { RepoId, TokenId, UserId } from '../platform/crypto/ids.ts'
import type { RequestSource } from '../platform/request-source.ts'
import { ALL_SCOPES, type ScopeSet } from './scopes.ts'

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

export interface SignedIn {
  readonly kind: 'user'
  readonly account: Account
  /** What the credentials allow; passwords and the reverse proxy allow all. */
  readonly scopes: ScopeSet
  /** How the credentials came: token routes ask for Basic or the reverse proxy. */
  readonly method:
    'password' | 'basic-token' | 'header-token' | 'query-token' | 'reverse-proxy' | 'ssh-key' | 'http-signature'
  readonly tokenId: TokenId | undefined
  /** The only repositories a restricted token may see; undefined is all. */
  readonly onlyRepos: ReadonlySet<RepoId> | undefined
  /** The deploy key that acts in the name of the repository's owner, who takes no part in it. */
  readonly deployKeyId?: number
  /** The SSH key of the account that signed the request. */
  readonly keyId?: number
  /** The OAuth2 application that the token was issued to. */
  readonly applicationId?: number
  /** What is recorded with a change; undefined for reads and for work that is no request. */
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
  /** What the credentials allow, as of a signed-in viewer; all where these are absent. */
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
/** Which caches may store an answer: those that users share, only what everyone may read. */
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
