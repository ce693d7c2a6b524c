import { Type, type Static } from '@sinclair/typebox'
import { NotificationCount, NotificationThread } from '../threads/thread.model.ts'

/** The data of one message on the stream of notifications. */
export const ThreadsChanged = Type.Object(
  {
    id: Type.Integer(),
    /** As they are now. */
    threads: Type.Array(NotificationThread),
    /** Whether further threads changed in the same way. */
    has_more: Type.Boolean(),
    counts: NotificationCount,
  },
  { $id: 'ThreadsChanged' },
)
export type ThreadsChanged = Static<typeof ThreadsChanged>
