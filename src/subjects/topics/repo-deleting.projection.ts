import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import { subtractTopicsOf } from './topic.store.ts'

/** Takes a repository that is about to be deleted out of the counters of its topics. */
export const repoDeletingProjections: Projections = {
  'repo.deleting': (tx, { repoId }) => subtractTopicsOf(tx, asId(repoId)),
}
