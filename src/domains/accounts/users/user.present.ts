import { flatText } from '../../../core/platform/flat-text.ts'
import { isSelf, isSignedIn, isSiteAdmin, type Viewer } from '../../../core/access/viewer.ts'
import { EPOCH_TIME, wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import { md5Hex } from '../../../core/platform/crypto/crypto.ts'
import type { Site } from '../../../core/platform/site.ts'
import { noReplyAddress } from './users.policy.ts'
import type { User } from './user.model.ts'
import type { User as UserEntity } from './user.store.ts'

/**
 * A user as the viewer may see it. Only the user and site administrators see the state of the account (admin, active,
 * last login); signed-in viewers see the real e-mail address unless it is hidden
 * (behaviour/users-and-admin#the-user-object).
 */
export const presentUser = (user: UserEntity, viewer: Viewer, site: Site): User =>
  presentFor(user, disclosureFor(user, viewer), site)

/** The members of a user that a viewer may see. */
interface Disclosure {
  /** The state of the account. */
  readonly inside: boolean
  readonly showEmail: boolean
  readonly showPronouns: boolean
}

function disclosureFor(user: UserEntity, viewer: Viewer): Disclosure {
  const inside = isSelf(viewer, user.id) || isSiteAdmin(viewer)
  return {
    inside,
    showEmail: inside || (isSignedIn(viewer) && !user.isEmailHidden),
    showPronouns: isSignedIn(viewer) || !user.arePronounsHidden,
  }
}

/** A user as other signed-in users see it: owners of repositories, authors, actors. */
const presentOther = (user: UserEntity, site: Site): User =>
  presentFor(user, { inside: false, showEmail: !user.isEmailHidden, showPronouns: !user.arePronounsHidden }, site)

function presentFor(user: UserEntity, { inside, showEmail, showPronouns }: Disclosure, site: Site): User {
  const lastLogin = user.lastLoginAt === undefined ? EPOCH_TIME : wireTime(user.lastLoginAt)
  return {
    id: user.id,
    login: user.name,
    login_name: inside ? user.loginName : '',
    source_id: inside ? user.sourceId : 0,
    full_name: user.fullName,
    email: showEmail ? user.email : noReplyAddress(user, site.noReplyDomain),
    avatar_url: avatarUrl(user, site),
    html_url: flatText(site.rootUrl(), '/', user.name),
    language: inside ? user.language : '',
    is_admin: inside && user.isAdmin,
    last_login: inside ? lastLogin : ZERO_TIME,
    created: wireTime(user.createdAt),
    restricted: user.isRestricted,
    active: inside && user.isActive,
    prohibit_login: inside && user.isLoginProhibited,
    location: user.location,
    pronouns: showPronouns ? user.pronouns : '',
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
 * COMPAT: an account without an uploaded image has one generated from the MD5 of its address, which clients compute,
 * too (test/repositories/avatars.test.ts).
 */
export const avatarUrl = (user: UserEntity, site: Site): string =>
  flatText(site.rootUrl(), '/avatars/', user.avatar ?? md5Hex((user.email || user.name).trim().toLowerCase()))

/** The placeholder for a deleted account. */
const presentGhost = (site: Site): User => presentVirtual(-1, 'Ghost', site)

/** Somebody at another server who has no account here. */
const presentStranger = (login: string, site: Site): User => presentVirtual(0, login, site)

/** The accounts without a row: the deleted author and the actor of workflow jobs. Undefined for other ids. */
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

/** Presenters of users for the responses of later domains. */
export const userPresenters = {
  present: presentUser,
  presentOther,
  presentGhost,
  presentStranger,
  presentVirtualById,
  avatarUrl,
} as const
