import { Type } from '@sinclair/typebox'
import type { PayloadsOf } from '../../../core/events/index.ts'

const Id = Type.Integer()

/** Changes of threads that no other event covers. */
export const notificationEvents = {
  /** The user changed the status of threads. */
  'notification.marked': Type.Object({ user_id: Id, thread_ids: Type.Array(Id) }),
  /** A job notified further followers of an issue about an activity at this time. */
  'notification.spread': Type.Object({ issue_id: Id, at: Id, user_ids: Type.Array(Id) }),
}

declare module '../../../core/events/catalog.ts' {
  interface EventCatalog extends PayloadsOf<typeof notificationEvents> {}
}
