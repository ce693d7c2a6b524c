import { restrictedViewer, restrictionOf } from '../../../core/access/authorize.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import type { Tx } from '../../../core/db/database.ts'
import type { AppendedEvent } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { userQueries } from '../../accounts/index.ts'

/** The author of a text, restricted like its credentials; undefined when the actor is not an account. */
export async function loadAuthor(tx: Tx, { actor }: Pick<AppendedEvent, 'actor'>): Promise<SignedIn | undefined> {
  const { id } = actor.account
  const user = id > 0 ? await userQueries.findById(tx, asId(id)) : undefined
  return user && restrictedViewer(user, restrictionOf(actor))
}
