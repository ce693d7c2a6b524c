import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { unlinkRepo } from './package.store.ts'

/** Unlinks packages when their repository is deleted or changes its owner. */
export const packageProjections: Projections = {
  'repo.deleting': (tx, { repoId }) => unlinkRepo(tx, asId(repoId)),
  'repo.transferred': (tx, { payload }) => unlinkRepo(tx, asId(payload.repo_id)),
}
