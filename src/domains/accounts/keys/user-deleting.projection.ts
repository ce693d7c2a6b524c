import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { deletePublicKeysOf } from './public-key.store.ts'

/** Deletes the public keys of an account before its deletion, which frees their fingerprints. */
export const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => deletePublicKeysOf(tx, asId(payload.user_id)),
}
