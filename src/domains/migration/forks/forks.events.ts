import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

export const forkEvents = {
  /** The event of the fork; `repo.created` is not appended for it. */
  'fork.created': Type.Object({ repo_id: Type.Integer(), base_id: Type.Integer() }),
  /** The event of the base; `fork_id` is the new repository. */
  'repo.forked': Type.Object({ repo_id: Type.Integer(), fork_id: Type.Integer() }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof forkEvents> {}
}
