export { requireNoBlockBetween, requireUnblocked } from './blocks.ts'
export { parseAuthorization, type Credentials, type Headers } from './credentials.ts'
export { createAuthenticate, type Authenticate } from './authenticate.ts'
export { createKeyLogins, type KeyHolder, type KeyLogins, type KeyTarget } from './key-logins.ts'
export { mayCreateFor, ownsOrCreatesIn } from './create-right.ts'
export { LoginThrottle } from './login-throttle.ts'
export { TokenUse } from './token-use.ts'
export {
  getOwnerInView,
  getRepoInView,
  isOwnerInView,
  isPublicRepo,
  loadRepoAccess,
  loadRepoAccesses,
  type RepoInView,
} from './lookup.ts'
