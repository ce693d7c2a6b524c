import type { Db } from '../../../core/db/database.ts'
import type { User } from '../users/user.store.ts'
import type { ProviderParts } from './deps.ts'
import { listGroupNames, type LiveGrant } from './oauth-grant.store.ts'
import { scopeNames, scopesOfGrant } from './oauth.policy.ts'

type Claims = Record<string, unknown>

export interface UserInfo {
  readonly sub: string
  readonly name: string
  readonly preferred_username: string
  readonly email: string
  readonly picture: string
  readonly groups: readonly string[] | null
}

export async function userInfo(
  parts: Pick<ProviderParts, 'database' | 'avatarUrl'>,
  user: User,
  onlyPublic: boolean,
): Promise<UserInfo> {
  const groups = await listGroupNames(parts.database.read, user.id, onlyPublic)
  return {
    sub: String(user.id),
    name: user.fullName || user.name,
    preferred_username: user.name,
    email: user.email,
    picture: parts.avatarUrl(user),
    groups: groups.length === 0 ? null : groups,
  }
}

/** The claims of an id token by the scopes of the grant; empty claims are omitted (OpenID Connect Core §5.4). */
export async function idClaims(
  parts: ProviderParts,
  { user, grant, application }: LiveGrant,
  nonce: string,
): Promise<Claims> {
  const scopes = scopeNames(grant.scope)
  const claims: Claims = { iss: parts.issuer(), sub: String(user.id), aud: [application.clientId], nonce }
  if (scopes.has('profile')) Object.assign(claims, profile(parts, user))
  if (scopes.has('email')) Object.assign(claims, { email: user.email, email_verified: user.isActive })
  if (scopes.has('groups')) claims['groups'] = await groupsOf(parts.database.read, user, grant.scope)
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== '' && value !== undefined))
}

function profile({ rootUrl, avatarUrl }: ProviderParts, user: User): Claims {
  return {
    name: user.fullName || user.name,
    preferred_username: user.name,
    profile: `${rootUrl()}/${user.name}`,
    picture: avatarUrl(user),
    website: user.website,
    locale: user.language,
    updated_at: Math.floor(user.updatedAt / 1000),
  }
}

async function groupsOf(db: Db, user: User, scope: string): Promise<string[] | undefined> {
  const groups = await listGroupNames(db, user.id, scopesOfGrant(scope).publicOnly)
  return groups.length === 0 ? undefined : groups
}
