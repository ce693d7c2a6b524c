import type { PublicKey } from '../contract/models/public-key.ts'
import type { UserKey } from '../db/stores/public-key.store.ts'
import type { User } from '../db/stores/user.store.ts'
import { wireTime } from '../platform/clock.ts'
import { isSelf, isSiteAdmin, type Viewer } from '../policy/viewer.ts'
import type { Site } from './site.ts'
import { presentUser } from './user.present.ts'

/** Whose key it is, its owner and site administrators only are told (reference users-and-admin §8). */
export function presentPublicKey(key: UserKey, owner: User | undefined, viewer: Viewer, site: Site): PublicKey {
  const inside = owner !== undefined && (isSelf(viewer, owner.id) || isSiteAdmin(viewer))
  return {
    id: key.id,
    key: `${key.algorithm} ${key.blob}${key.comment === '' ? '' : ` ${key.comment}`}`,
    url: `${site.rootUrl()}/api/v1/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: wireTime(key.createdAt),
    last_used_at: wireTime(key.lastUsedAt || key.createdAt),
    ...(inside ? { user: presentUser(owner, viewer, site), key_type: 'user' } : {}),
  }
}
