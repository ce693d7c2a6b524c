import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { unlinkRepo } from './package.store.ts'

/** Packages stay when the repository that they are linked to leaves their owner. */
export const packageProjections: Projections = {
  'repo.deleting': (tx, { repoId }) => unlinkRepo(tx, asId(repoId)),
  'repo.transferred': (tx, { payload }) => unlinkRepo(tx, asId(payload.repo_id)),
}
