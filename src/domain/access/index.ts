export { requireNoBlockBetween, requireUnblocked } from './blocks.ts'
export { parseAuthorization, type Credentials, type Headers, type ProxyAccount } from './credentials.ts'
export { createKeyLogins, type KeyHolder, type KeyLogins, type KeyTarget } from './key-logins.ts'
export { mayCreateFor, ownsOrCreatesIn } from './create-right.ts'
export { createAuthenticate, createPasswordCheck, ONE_TIME_CODE_REFUSED, type Authenticate, type PasswordCheck } from './authenticate.ts'
export { LoginThrottle } from './login-throttle.ts'
export { createSignatureLogin, type SignatureLogin } from './signature-login.ts'
export { createSessions, type Sessions } from './sessions.ts'
export { TokenUse } from './token-use.ts'
export { createTwoFactor, type TwoFactorAuth } from './two-factor.ts'
export {
  getOwnerInView,
  getRepoInView,
  getUserByName,
  isOwnerInView,
  isPublicRepo,
  loadRepoAccess,
  loadRepoAccesses,
  type RepoInView,
} from './lookup.ts'
