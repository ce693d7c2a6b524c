import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import { deletePublicKeysOf } from './public-key.store.ts'

/** The SSH keys of an account that is about to be deleted leave the space of fingerprints. */
export const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => deletePublicKeysOf(tx, asId(payload.user_id)),
}
