import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'
import type { Issue } from '../../issues/index.ts'

const Id = Type.Integer()
const OfPull = { repo_id: Id, issue_id: Id, number: Id, pull_id: Id, branch: Type.String() }

export const mergeQueueEvents = {
  /** The commit of a batch was built and can be tested; `ref` points to it. */
  'merge_queue.built': Type.Object({
    repo_id: Id,
    branch: Type.String(),
    batch_id: Id,
    ref: Type.String(),
    base_oid: Type.String(),
    oid: Type.String(),
    /** The numbers of the pull requests, in merge order. */
    numbers: Type.Array(Id),
  }),
  /** Not written after a merge. `is_failure`: the server removed it, not a user. */
  'merge_queue.left': Type.Object({ ...OfPull, reason: Type.String(), is_failure: Type.Boolean() }),
  'merge_queue.entered': Type.Object({ ...OfPull, style: Type.String() }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof mergeQueueEvents> {}
  interface EventEntities {
    'merge_queue.left': { readonly issue: Issue }
  }
}
