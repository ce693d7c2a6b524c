import { isSelf, isSignedIn, isSiteAdmin, type Viewer } from '../../access/viewer.ts'
import { EPOCH_TIME, wireTime, ZERO_TIME } from '../../platform/clock.ts'
import { md5Hex } from '../../platform/crypto.ts'
import { boundedCache } from '../../platform/lru.ts'
import type { Site } from '../../platform/site.ts'
import { noReplyAddress } from './commit-identity.policy.ts'
import type { User } from './user.model.ts'
import type { User as UserEntity } from './user.store.ts'

/**
 * A user as the viewer may know it: the account's own state (admin, active, last login) only for itself and site
 * administrators; the real e-mail for those signed in unless it is hidden (reference users-and-admin, User object).
 */
export function presentUser(user: UserEntity, viewer: Viewer, site: Site): User {
  const inside = isSelf(viewer, user.id) || isSiteAdmin(viewer)
  return present(user, site, { inside, showEmail: inside || (isSignedIn(viewer) && !user.isEmailHidden) })
}

/** A user as anybody else signed in sees it: owners of repositories, authors, actors. */
export const presentOther = (user: UserEntity, site: Site): User =>
  present(user, site, { inside: false, showEmail: !user.isEmailHidden })

function present(user: UserEntity, site: Site, { inside, showEmail }: { inside: boolean; showEmail: boolean }): User {
  const lastLogin = user.lastLoginAt === 0 ? EPOCH_TIME : wireTime(user.lastLoginAt)
  return {
    id: user.id,
    login: user.name,
    login_name: inside ? user.loginName : '',
    source_id: inside ? user.sourceId : 0,
    full_name: user.fullName,
    email: showEmail ? user.email : noReplyAddress(user, site.noReplyDomain),
    avatar_url: avatarUrl(user, site),
    html_url: `${site.rootUrl()}/${user.name}`,
    language: inside ? user.language : '',
    is_admin: inside && user.isAdmin,
    last_login: inside ? lastLogin : ZERO_TIME,
    created: wireTime(user.createdAt),
    restricted: user.isRestricted,
    active: inside && user.isActive,
    prohibit_login: inside && user.isLoginProhibited,
    location: user.location,
    pronouns: user.pronouns,
    website: user.website,
    description: user.description,
    visibility: user.visibility,
    followers_count: user.followersCount,
    following_count: user.followingCount,
    starred_repos_count: user.starsCount,
    username: user.name,
  }
}

/**
 * COMPAT: without an image of their own accounts get one drawn from the MD5 of their address, which clients compute
 * too.
 */
export const avatarUrl = (user: UserEntity, site: Site): string =>
  `${site.rootUrl()}/avatars/${user.avatar || drawnFrom(user.email || user.name)}`

const drawn = boundedCache<string, string>(2000)

/** NOTE: lists show the same owners again and again, and a hash takes longer than all else of an owner. */
function drawnFrom(address: string): string {
  const known = drawn.get(address)
  if (known !== undefined) return known
  const hash = md5Hex(address.trim().toLowerCase())
  drawn.set(address, hash)
  return hash
}

/** Shown in place of a deleted account. */
export const presentGhost = (site: Site): User => presentVirtual(-1, 'Ghost', site)

/** The accounts without a row: the deleted author and the one that jobs act as. Undefined for other ids. */
export function presentVirtualById(id: number, site: Site): User | undefined {
  if (id === -1) return presentGhost(site)
  return id === JOBS_ACCOUNT.id ? presentVirtual(JOBS_ACCOUNT.id, JOBS_ACCOUNT.name, site) : undefined
}

const JOBS_ACCOUNT = { id: -2, name: 'gitea-actions' } as const

function presentVirtual(id: number, name: string, site: Site): User {
  return {
    id,
    login: name,
    login_name: '',
    source_id: 0,
    full_name: '',
    email: '',
    avatar_url: `${site.rootUrl()}/assets/img/avatar_default.png`,
    html_url: `${site.rootUrl()}/${name}`,
    language: '',
    is_admin: false,
    last_login: ZERO_TIME,
    created: EPOCH_TIME,
    restricted: false,
    active: false,
    prohibit_login: false,
    location: '',
    pronouns: '',
    website: '',
    description: '',
    visibility: 'public',
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
    username: name,
  }
}
