import { isSelf, isSiteAdmin, type Viewer } from '../../../core/access/viewer.ts'
import { wireTime } from '../../../core/platform/clock.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentUser } from '../users/user.present.ts'
import type { User } from '../users/user.store.ts'
import type { PublicKey } from './public-key.model.ts'
import type { UserKey } from './public-key.store.ts'

/** Only the owner of the key and site administrators get its user (behaviour/users-and-admin#ssh-keys). */
export function presentPublicKey(key: UserKey, owner: User | undefined, viewer: Viewer, site: Site): PublicKey {
  const showsOwner = owner !== undefined && (isSelf(viewer, owner.id) || isSiteAdmin(viewer))
  return {
    id: key.id,
    key: `${key.algorithm} ${key.blob}${key.comment === '' ? '' : ` ${key.comment}`}`,
    url: `${site.rootUrl()}/api/v1/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: wireTime(key.createdAt),
    last_used_at: wireTime(key.lastUsedAt ?? key.createdAt),
    ...(showsOwner ? { user: presentUser(owner, viewer, site), key_type: 'user' } : {}),
  }
}
