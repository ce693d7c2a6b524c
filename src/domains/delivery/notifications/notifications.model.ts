import { Type, type Static } from '@sinclair/typebox'
import { Nullable } from '../../../core/http/openapi/nullable.ts'
import { Repository } from '../../repositories/index.ts'

export const NotificationSubject = Type.Object(
  {
    title: Type.String(),
    url: Type.String(),
    latest_comment_url: Type.String(),
    html_url: Type.String(),
    latest_comment_html_url: Type.String(),
    type: Type.Unsafe<'Issue' | 'Pull' | 'Commit' | 'Repository'>(
      Type.String({ enum: ['Issue', 'Pull', 'Commit', 'Repository'] }),
    ),
    state: Type.Unsafe<'open' | 'closed' | 'merged' | ''>(Type.String({ enum: ['open', 'closed', 'merged', ''] })),
  },
  { $id: 'NotificationSubject' },
)
export type NotificationSubject = Static<typeof NotificationSubject>

/** A repository without the permissions of a viewer. */
const NotificationRepository = Type.Object(
  { ...Repository.properties, parent: Nullable(Repository), permissions: Type.Null() },
  { $id: 'NotificationRepository' },
)

export const NotificationThread = Type.Object(
  {
    id: Type.Integer(),
    /** Null when the user may no longer see it. */
    repository: Nullable(NotificationRepository),
    subject: NotificationSubject,
    unread: Type.Boolean(),
    pinned: Type.Boolean(),
    updated_at: Type.String({ format: 'date-time' }),
    url: Type.String(),
  },
  { $id: 'NotificationThread' },
)
export type NotificationThread = Static<typeof NotificationThread>

export const NotificationCount = Type.Object({ new: Type.Integer() }, { $id: 'NotificationCount' })

/** The data of one message on the stream of notifications. */
export const ThreadsChanged = Type.Object(
  {
    id: Type.Integer(),
    /** The present state of the threads. */
    threads: Type.Array(NotificationThread),
    /** Whether further threads changed in the same way. */
    has_more: Type.Boolean(),
    counts: NotificationCount,
  },
  { $id: 'ThreadsChanged' },
)
export type ThreadsChanged = Static<typeof ThreadsChanged>
