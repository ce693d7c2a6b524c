import { wireTime, ZERO_TIME } from '../../../core/platform/clock.ts'
import type { GPGKey, PublicKey } from './keys.model.ts'
import type { GpgKey, GpgSubkey } from './gpg-key.store.ts'
import { isSelf, isSiteAdmin, type Viewer } from '../../../core/access/viewer.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentUser } from '../users/user.present.ts'
import type { User } from '../users/user.store.ts'
import type { UserKey } from './public-key.store.ts'

/** A primary key with its subkeys (behaviour/users-and-admin#gpg-keys). */
export function presentGpgKey(key: GpgKey): GPGKey {
  return {
    ...presentPart(key, key.isVerified),
    emails: key.emails.map((email) => ({ email, verified: true })),
    subkeys: key.subkeys.map((subkey) => ({ ...presentPart(subkey, key.isVerified), emails: null, subkeys: null })),
  }
}

/**
 * COMPAT: the capabilities of a key depend only on its algorithm, and certifying mirrors signing
 * (test/accounts/keys/gpg-keys.test.ts).
 */
function presentPart(part: GpgSubkey, isVerified: boolean) {
  return {
    id: part.id,
    primary_key_id: part.primaryKeyId ?? '',
    key_id: part.keyId,
    public_key: part.packet,
    can_sign: part.canSign,
    can_encrypt_comms: part.canEncrypt,
    can_encrypt_storage: part.canEncrypt,
    can_certify: part.canSign,
    verified: isVerified,
    created_at: wireTime(part.createdAt),
    expires_at: part.expiresAt === undefined ? ZERO_TIME : wireTime(part.expiresAt),
  }
}

/**
 * `verified` says whether the key verifies commits. Only the owner of the key and site administrators see its user
 * (behaviour/users-and-admin#ssh-keys).
 */
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
    updated_at: wireTime(key.lastUsedAt ?? key.createdAt),
    verified: key.lastUsedAt !== undefined,
    ...(showsOwner ? { user: presentUser(owner, viewer, site), key_type: 'user' } : {}),
  }
}
