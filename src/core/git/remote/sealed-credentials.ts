import type { SecretBox } from '../../platform/crypto/secret-box.ts'
import type { RemoteCredentials } from './remote.ts'

/** The context with which stored credentials of remotes are sealed. */
export const CREDENTIALS_CONTEXT = 'remote credentials'

/** Encrypts credentials for storage; empty without credentials. */
export const sealCredentials = (secrets: SecretBox, credentials: RemoteCredentials | undefined): string =>
  credentials === undefined ? '' : secrets.seal(JSON.stringify(credentials), CREDENTIALS_CONTEXT)

/** Throws if they were sealed with another key. */
export const openCredentials = (secrets: SecretBox, sealed: string): RemoteCredentials | undefined =>
  sealed === '' ? undefined : (JSON.parse(secrets.open(sealed, CREDENTIALS_CONTEXT)) as RemoteCredentials)
