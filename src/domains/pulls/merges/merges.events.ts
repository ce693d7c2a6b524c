import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()

export const mergeEvents = {
  /**
   * Appended in the same transaction as `issue.closed`, after it. `oid` is the tip of the base right after the merge.
   */
  'pull.merged': Type.Object({
    repo_id: Id,
    issue_id: Id,
    number: Id,
    pull_id: Id,
    oid: Type.String(),
    style: Type.String(),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof mergeEvents> {}
}
