import { asAccessMode } from '../../../core/access/access-mode.ts'
import type { Projections } from '../../../core/events/index.ts'
import { asId } from '../../../core/platform/crypto/ids.ts'
import { upsertCollaboration } from './collaboration.store.ts'

/** In an organization the creator of a repository becomes a collaborator of it (behaviour/repositories#access). */
export const repoCreatorProjections: Projections = {
  async 'repo.created'(tx, { actorId, repoId, at, payload: { creator_mode: mode } }) {
    if (mode !== undefined) await upsertCollaboration(tx, asId(repoId), asId(actorId), { mode: asAccessMode(mode), at })
  },
}
