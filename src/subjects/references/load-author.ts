import { type SignedIn, viewerOfAccount } from '../../access/viewer.ts'
import type { Tx } from '../../db/database.ts'
import type { AppendedEvent } from '../../events/index.ts'
import { asId } from '../../platform/crypto/ids.ts'
import { findUserById } from '../users/index.ts'

/** Who writes a text, restricted as its credentials are; undefined when no account acts. */
export async function loadAuthor(tx: Tx, { actor }: Pick<AppendedEvent, 'actor'>): Promise<SignedIn | undefined> {
  const { account, onlyRepos, scopes } = actor
  const user = account.id > 0 ? await findUserById(tx, asId(account.id)) : undefined
  if (user === undefined) return undefined
  const viewer = viewerOfAccount(user)
  return { ...viewer, onlyRepos, scopes: { ...viewer.scopes, publicOnly: scopes?.publicOnly ?? false } }
}
