import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()

export const referenceEvents = {
  /** A new issue or comment mentions these users; `comment_id` is 0 for the issue itself. */
  'issue.mentioned': Type.Object({
    repo_id: Id,
    issue_id: Id,
    number: Id,
    is_pull: Type.Boolean(),
    comment_id: Id,
    user_ids: Type.Array(Id),
  }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof referenceEvents> {}
}
