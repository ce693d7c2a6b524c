import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()

/** What changes threads without an event of its own. */
export const notificationEvents = {
  /** The user gave its threads another status. */
  'notification.marked': Type.Object({ user_id: Id, thread_ids: Type.Array(Id) }),
  /** A job notified further followers of an issue, of an activity at this time. */
  'notification.spread': Type.Object({ issue_id: Id, at: Id, user_ids: Type.Array(Id) }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof notificationEvents> {}
}
