import type { Db } from '../../../core/db/database.ts'
import { sameSecret, sha256Hex } from '../../../core/platform/crypto/crypto.ts'
import type { ProviderSettings } from './deps.ts'
import { findApplicationByClientId, type OauthApplication } from './applications/oauth-application.store.ts'

/** An application by its client id; built-in ones only where they are on. */
export async function findClient(
  db: Db,
  { builtIn }: ProviderSettings,
  clientId: string,
): Promise<OauthApplication | undefined> {
  const found = clientId === '' ? undefined : await findApplicationByClientId(db, clientId)
  return found === undefined || (found.builtIn !== '' && !builtIn.includes(found.builtIn)) ? undefined : found
}

export const isClientSecret = ({ secretHash }: OauthApplication, secret: string): boolean =>
  secretHash !== '' && sameSecret(secretHash, sha256Hex(secret))
