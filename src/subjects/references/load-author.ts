import { restrictedViewer, restrictionOf } from '../../access/credential-restriction.ts'
import type { SignedIn } from '../../access/viewer.ts'
import type { Tx } from '../../db/database.ts'
import type { AppendedEvent } from '../../events/index.ts'
import { asId } from '../../platform/crypto/ids.ts'
import { findUserById } from '../users/index.ts'

/** Who writes a text, restricted as its credentials are; undefined when no account acts. */
export async function loadAuthor(tx: Tx, { actor }: Pick<AppendedEvent, 'actor'>): Promise<SignedIn | undefined> {
  const { id } = actor.account
  const user = id > 0 ? await findUserById(tx, asId(id)) : undefined
  return user && restrictedViewer(user, restrictionOf(actor))
}
