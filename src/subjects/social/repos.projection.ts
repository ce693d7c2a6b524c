import type { Projections } from '../../events/index.ts'
import { asId } from '../../platform/ids.ts'
import { deleteStarsOf } from './star.store.ts'

/** Repositories that turn private lose their stars. */
export const repoStarProjections: Projections = {
  async 'repo.edited'(tx, { payload: { made_private: ids = [] } }) {
    for (const id of ids) await deleteStarsOf(tx, asId(id))
  },
}
