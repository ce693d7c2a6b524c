import type { Core, Services } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import { type DomainEvent, findMissedEvents } from '../../../../core/events/index.ts'
import type { UserId } from '../../../../core/platform/crypto/ids.ts'
import {
  type StreamPublisher,
  addListener,
  type Channel,
  dataMessage,
  type Listener,
  type Message,
} from '../../../../core/streams/index.ts'
import { presentThread } from '../notifications.present.ts'
import { countThreads, listOwnThreads } from '../threads/thread.store.ts'
import { loadThreadViews } from '../threads/thread-views.ts'
import { type ChangedThread, listChangedThreads } from './changed-threads.store.ts'
import { NOTIFYING_KINDS, threadChangeOf } from './thread-changes.policy.ts'
import type { ThreadsChanged } from '../notifications.model.ts'

interface ThreadPublisherDeps extends Pick<Core, 'database' | 'clock' | 'site'> {
  readonly repos: Pick<Services['repos'], 'views'>
}

/** Streams new and changed threads to connected users (behaviour/issues#notification-stream). */
export interface ThreadPublisher extends StreamPublisher {
  channel(userId: UserId): Channel<SignedIn>
}

/** The maximum number of messages to a client that resumes. */
const MAX_MISSED = 5000
/** The maximum number of threads in one message; a user may mark any number at once. */
const MAX_THREADS = 50

export function createThreadPublisher(deps: ThreadPublisherDeps): ThreadPublisher {
  const { database, clock } = deps
  const { read } = database
  const listeners = new Map<number, Set<Listener<SignedIn>>>()
  const changed = async (userIds: readonly number[], events: readonly DomainEvent[]): Promise<ChangedThread[]> =>
    events.length === 0 ? [] : listChangedThreads(database, userIds, events.map(threadChangeOf))
  return {
    wants: ({ kind }) => listeners.size > 0 && NOTIFYING_KINDS.includes(kind),
    async publish(events) {
      for (const [userId, threads] of byUser(await changed([...listeners.keys()], events)))
        for (const listener of listeners.get(userId) ?? [])
          if (await listener.isReady()) listener.send(await messagesOf(deps, listener.access, threads))
    },
    channel: (userId) => ({
      join: (listener) => addListener(listeners, userId, listener),
      missed: (id) => findMissedEvents(read, { id, kinds: NOTIFYING_KINDS, now: clock.now() }),
      async *read(events, { access }) {
        yield* await messagesOf(deps, access, await changed([userId], events))
      },
      maxMissed: MAX_MISSED,
    }),
  }
}

function byUser(threads: readonly ChangedThread[]): Map<number, ChangedThread[]> {
  const groups = new Map<number, ChangedThread[]>()
  for (const thread of threads) groups.set(thread.userId, [...(groups.get(thread.userId) ?? []), thread])
  return groups
}

/** One message per event, ordered by id; omits threads outside of the scope of the viewer's token. */
async function messagesOf(
  { database: { read }, repos, site }: ThreadPublisherDeps,
  viewer: SignedIn,
  changed: readonly ChangedThread[],
): Promise<Message[]> {
  const own = { viewer, userId: viewer.account.id }
  const eventOf = new Map(changed.map(({ id, eventId }) => [id, eventId]))
  const threads = await listOwnThreads(read, own, [...eventOf.keys()])
  if (threads.length === 0) return []
  const [views, unread] = await Promise.all([
    loadThreadViews({ read, repos }, viewer, threads),
    countThreads(read, { ...own, statuses: ['unread'] }),
  ])
  const groups = new Map<number, ThreadsChanged['threads']>()
  for (const view of views) {
    const id = eventOf.get(view.thread.id)!
    groups.set(id, [...(groups.get(id) ?? []), presentThread(view, site)])
  }
  return [...groups]
    .toSorted(([a], [b]) => a - b)
    .map(([id, shown]) =>
      dataMessage(id, {
        id,
        threads: shown.slice(0, MAX_THREADS),
        has_more: shown.length > MAX_THREADS,
        counts: { new: unread },
      } satisfies ThreadsChanged),
    )
}
