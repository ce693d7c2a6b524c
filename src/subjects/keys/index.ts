export { findGpgKeysByKeyIds, type GpgKey } from './gpg-key.store.ts'
export type { GpgKeys } from './gpg-keys.service.ts'
export { type KeyRules, readSshKey } from './read-ssh-key.ts'
export { CreateKeyOption } from './public-key.model.ts'
export {
  claimPublicKey,
  deleteUnusedPublicKey,
  findKeyFingerprint,
  findKeyUse,
  listProvenKeys,
  type StoredKey,
  updateUserKeyUse,
  type UserKey,
} from './public-key.store.ts'
export type { SshKeys } from './ssh-keys.service.ts'
