import type { MovedError } from '../platform/errors.ts'
import {
  AccessMode,
  canSeeRepo,
  isRepoAdmin,
  type RepoAccess,
  type RepoFacts,
  unitMode,
  hasUnit,
  type Unit,
} from './repo-access.ts'
import {
  missingScope,
  type ScopeCategory,
  type ScopeLevel,
  ALL_SCOPES,
  formatScopes,
  parseScopes,
  decideAccountState,
  isPublicOnly,
  type Viewer,
  type Account,
  type SignedIn,
  viewerOfAccount,
} from './viewer.ts'
import { type Static, Type } from '@sinclair/typebox'
import { asId } from '../platform/crypto/ids.ts'

/** The requirements on the requester, checked before any look-up. */
export interface RequesterNeed {
  /** Anonymous callers are refused. */
  readonly requireSignIn?: boolean
  /** Scopes that the credentials must have, all of them at `level`; none by default. */
  readonly scopes?: readonly ScopeCategory[]
  readonly level?: ScopeLevel
}

export type RequesterDecision =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'signIn' }
  | { readonly kind: 'forbidden'; readonly reason: 'account-prohibited' }
  | { readonly kind: 'forbidden'; readonly reason: 'password-change-required' }
  | { readonly kind: 'forbidden'; readonly reason: 'scope'; readonly missing: string }

const ALLOWED = { kind: 'allowed' } as const
const SIGN_IN = { kind: 'signIn' } as const
const HIDDEN = { kind: 'hidden' } as const

/**
 * Whether a caller may use the server at all: sign-in, state of the account, scopes of the credentials, in this order
 * on every transport (behaviour/auth-and-access#request-pipeline).
 */
export function authorizeRequester(
  viewer: Viewer,
  { requireSignIn = false, scopes = [], level = 'read' }: RequesterNeed,
): RequesterDecision {
  if (viewer.kind === 'anonymous') return requireSignIn ? SIGN_IN : ALLOWED
  const state = decideAccountState(viewer.account)
  if (state === 'prohibited') return { kind: 'forbidden', reason: 'account-prohibited' }
  if (state === 'must-change-password') return { kind: 'forbidden', reason: 'password-change-required' }
  const missing = missingScope(viewer.scopes, level, scopes)
  return missing === undefined ? ALLOWED : { kind: 'forbidden', reason: 'scope', missing }
}

/** The facts of a repository that a decision depends on. */
export interface RepoState extends RepoFacts {
  readonly isMirror: boolean
}

/** The result of the look-up of a name. `moved` only for viewers who may see the repository of the new name. */
export type RepoTarget<Repo extends RepoState> =
  | { readonly kind: 'found'; readonly repo: Repo; readonly access: RepoAccess }
  | { readonly kind: 'missing' }
  | { readonly kind: 'moved'; readonly error: MovedError }

/**
 * `known`: the look-up decided that the repository is not hidden from the viewer. `see`: any access. `read` and
 * `write`: in the unit, or without one in the repository as a whole. `admin` and `owner`: of the repository.
 */
export type RepoLevel = 'known' | 'see' | 'read' | 'write' | 'admin' | 'owner'

/** The access to a repository that a request needs. Transports differ only by these members, not by another order. */
export interface RepoNeed {
  readonly level: RepoLevel
  /** The unit that `read` and `write` are about. */
  readonly unit?: Unit
  /**
   * COMPAT: in the API administrators of the repository pass when the unit is off (behaviour/auth-and-access#refusals;
   * test/core/access/admission-matrix.test.ts).
   */
  readonly adminWithoutUnit?: boolean
  /** Anonymous callers must sign in; those from whom the repository is hidden get `hidden` instead. */
  readonly signIn?: boolean
  /** Archived repositories are refused after the level, or with `refuse-before-sign-in` before every other check. */
  readonly archived?: 'refuse' | 'refuse-before-sign-in'
  /** Pull mirrors are refused right after archived repositories; needs `archived`. */
  readonly mirror?: 'refuse'
}

export type RepoRefusal =
  /** A token that is limited to public things, and a repository that is not public. */
  | 'public-only'
  /** The repository does not have the unit. */
  | 'unit-off'
  /** The viewer may not read the unit. */
  | 'unit'
  /** The viewer may read, but does not have `level`. */
  | 'level'
  | 'archived'
  | 'mirror'

export type RepoDecision<Repo extends RepoState> =
  | { readonly kind: 'allowed'; readonly repo: Repo; readonly access: RepoAccess }
  | { readonly kind: 'hidden' }
  | { readonly kind: 'moved'; readonly error: MovedError }
  | { readonly kind: 'signIn' }
  | { readonly kind: 'forbidden'; readonly reason: RepoRefusal }

/**
 * Whether a viewer whom `authorizeRequester` allowed may do something with a repository. The checks run in one order:
 * look-up, archived or mirror when those come first, sign-in, public-only tokens, unit and level, archived or mirror
 * (behaviour/auth-and-access#request-pipeline, behaviour/auth-and-access#refusals).
 */
export function authorizeRepo<Repo extends RepoState>(
  viewer: Viewer,
  target: RepoTarget<Repo>,
  need: RepoNeed,
): RepoDecision<Repo> {
  if (target.kind === 'moved') return target
  if (target.kind === 'missing' || (need.level !== 'known' && !canSeeRepo(target.access))) return HIDDEN
  const { repo, access } = target
  const mustSignIn = need.signIn === true && viewer.kind === 'anonymous'
  const first = need.archived === 'refuse-before-sign-in' ? refuseReadOnly(repo, need) : undefined
  if (first === undefined && mustSignIn) return SIGN_IN
  const reason =
    first ?? refusePublicOnly(viewer, repo) ?? refuseLevel(repo, access, need) ?? refuseReadOnly(repo, need)
  return reason === undefined ? { kind: 'allowed', repo, access } : { kind: 'forbidden', reason }
}

/** Whether anonymous viewers may see it; public-only tokens reach nothing else (behaviour/auth-and-access#scopes). */
export const isPublicRepo = ({ isPrivate, owner }: Pick<RepoFacts, 'isPrivate' | 'owner'>): boolean =>
  !isPrivate && owner.visibility === 'public'

const MODES = { read: AccessMode.read, write: AccessMode.write, admin: AccessMode.admin, owner: AccessMode.owner }

function refuseReadOnly(repo: RepoState, { archived, mirror }: RepoNeed): RepoRefusal | undefined {
  if (archived !== undefined && repo.isArchived) return 'archived'
  return mirror !== undefined && repo.isMirror ? 'mirror' : undefined
}

function refusePublicOnly(viewer: Viewer, repo: RepoState): RepoRefusal | undefined {
  return isPublicOnly(viewer) && !isPublicRepo(repo) ? 'public-only' : undefined
}

function refuseLevel(
  repo: RepoState,
  access: RepoAccess,
  { level, unit, adminWithoutUnit = false }: RepoNeed,
): RepoRefusal | undefined {
  if (level === 'known' || level === 'see') return undefined
  if (unit === undefined || level === 'admin' || level === 'owner')
    return access.mode < MODES[level] ? 'level' : undefined
  if (!hasUnit(repo.units, unit)) return adminWithoutUnit && isRepoAdmin(access) ? undefined : 'unit-off'
  const mode = unitMode(access, unit)
  if (mode < AccessMode.read) return 'unit'
  return mode < MODES[level] ? 'level' : undefined
}

/**
 * What credentials may not do although their account may. It is stored with work that runs after the request, in
 * payloads of events and jobs and in rows, so that the work has the rights of the credentials that requested it.
 */
export const CredentialRestriction = Type.Object({
  /** The only repositories that they reach; all where absent. */
  only_repos: Type.Optional(Type.Array(Type.Integer())),
  /** In the normal form; all where absent. */
  scopes: Type.Optional(Type.Array(Type.String())),
  deploy_key_id: Type.Optional(Type.Integer()),
})
export type CredentialRestriction = Static<typeof CredentialRestriction>

interface Credentials {
  readonly onlyRepos?: ReadonlySet<number> | undefined
  readonly scopes?: Parameters<typeof formatScopes>[0] | undefined
  readonly deployKeyId?: number | undefined
}

const EVERYTHING = formatScopes(ALL_SCOPES).join()

/** Undefined for credentials that may do whatever their account may. */
export function restrictionOf({ onlyRepos, scopes, deployKeyId }: Credentials): CredentialRestriction | undefined {
  const names = scopes && formatScopes(scopes)
  const restriction: CredentialRestriction = {
    ...(onlyRepos !== undefined && { only_repos: [...onlyRepos] }),
    ...(names !== undefined && names.join() !== EVERYTHING && { scopes: names }),
    ...(deployKeyId !== undefined && { deploy_key_id: deployKeyId }),
  }
  return Object.keys(restriction).length === 0 ? undefined : restriction
}

/** The account with the rights of the credentials. */
export function restrictedViewer(account: Account, restriction: CredentialRestriction | undefined): SignedIn {
  const { only_repos, scopes, deploy_key_id: deployKeyId } = restriction ?? {}
  const parsed = scopes && parseScopes(scopes)
  return {
    ...viewerOfAccount(account),
    ...(parsed && { scopes: parsed.ok ? parsed.scopes : { publicOnly: true, levels: new Map() } }),
    ...(only_repos && { onlyRepos: new Set(only_repos.map((id) => asId<RepoFacts['id']>(id))) }),
    ...(deployKeyId !== undefined && { deployKeyId }),
  }
}

/** The restriction as the value of a column; empty for no restriction. */
export const formatRestriction = (restriction: CredentialRestriction | undefined): string =>
  restriction === undefined ? '' : JSON.stringify(restriction)
export const parseRestriction = (text: string): CredentialRestriction | undefined =>
  text === '' ? undefined : (JSON.parse(text) as CredentialRestriction)

/** Whether the credentials reach the repository, whatever the account may do with it. */
export const reachesRepo = (actor: SignedIn, repo: Pick<RepoFacts, 'id' | 'isPrivate' | 'owner'>): boolean =>
  (actor.onlyRepos?.has(repo.id) ?? true) && (!isPublicOnly(actor) || isPublicRepo(repo))
