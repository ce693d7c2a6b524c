import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { subtractTopicsOf, subtractTopicsOfReposOf } from './topic.store.ts'

/** Subtracts a repository that is about to be deleted from the counters of its topics. */
export const repoDeletingProjections: Projections = {
  'repo.deleting': (tx, { repoId }) => subtractTopicsOf(tx, asId(repoId)),
}

/** Subtracts the repositories of an account that is about to be deleted from the counters of their topics. */
export const userDeletingProjections: Projections = {
  'user.deleting': (tx, { payload }) => subtractTopicsOfReposOf(tx, asId(payload.user_id)),
}
