import type { Tx } from '../../../../core/db/database.ts'
import { hiddenFrom } from '../../repos/lookup.ts'
import type { User } from '../../../accounts/index.ts'
import { deleteWatches, listWatchedOf } from './watches.store.ts'

/** Deletes the watches of the user on repositories of the owner that it may not see. */
export async function deleteHiddenWatches(tx: Tx, owner: Pick<User, 'id'>, user: User): Promise<void> {
  await deleteWatches(tx, user.id, await hiddenFrom(tx, user, await listWatchedOf(tx, user.id, owner.id)))
}
