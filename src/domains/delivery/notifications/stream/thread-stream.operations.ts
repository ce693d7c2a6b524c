import { signedIn } from '../../../../core/http/guards/account.guards.ts'
import { defineOperation, type Operation } from '../../../../core/http/operation.ts'
import { EventStream, type Streams } from '../../../../core/streams/index.ts'
import type { ThreadPublisher } from './thread-publisher.ts'

interface ThreadStreamDeps {
  readonly streams: Pick<Streams, 'open'>
  readonly publisher: Pick<ThreadPublisher, 'channel'>
}

/** The stream of notifications for the requesting user (behaviour/issues#notification-stream). */
export const threadStreamOperation = ({ streams, publisher }: ThreadStreamDeps): Operation =>
  defineOperation({
    id: 'notifyStream',
    method: 'GET',
    path: '/notifications/stream',
    area: 'notification',
    scopes: ['notification'],
    summary: 'New and changed notification threads of the caller, as server-sent events',
    guard: signedIn,
    responses: { 200: EventStream },
    errors: [401, 429],
    handler: ({ viewer, access, reauthorization, network, headers }) =>
      streams.open(
        { viewer, access, reauthorization, network, lastEventId: headers['last-event-id'] },
        publisher.channel(access.account.id),
      ),
  })
