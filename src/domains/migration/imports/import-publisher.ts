import type { Core } from '../../../core/module.ts'
import type { SignedIn } from '../../../core/access/viewer.ts'
import { type DomainEvent, findMissedEvents } from '../../../core/events/index.ts'
import {
  type StreamPublisher,
  addListener,
  type Channel,
  dataMessage,
  type Listener,
  type Message,
} from '../../../core/streams/index.ts'
import type { RepoMigration } from './migration.model.ts'

/** Streams the progress of imports to connected clients. */
export interface ImportPublisher extends StreamPublisher {
  channel(importId: number): Channel<SignedIn>
}

interface ImportPublisherDeps extends Pick<Core, 'clock' | 'database'> {
  /** Undefined if the caller may not see the import. */
  find(viewer: SignedIn, id: number): Promise<RepoMigration | undefined>
}

const KIND = 'import.progressed'
const MAX_MISSED = 5000

export function createImportPublisher({ clock, database, find }: ImportPublisherDeps): ImportPublisher {
  const listeners = new Map<number, Set<Listener<SignedIn>>>()
  const messageOf = async (viewer: SignedIn, importId: number, eventId: number): Promise<Message[]> => {
    const found = await find(viewer, importId)
    return found === undefined ? [] : [dataMessage(eventId, found)]
  }
  return {
    wants: ({ kind }) => listeners.size > 0 && kind === KIND,
    async publish(events) {
      for (const [importId, eventId] of lastOf(events))
        for (const listener of listeners.get(importId) ?? [])
          if (await listener.isReady()) listener.send(await messageOf(listener.access, importId, eventId))
    },
    channel: (importId) => ({
      join: (listener) => addListener(listeners, importId, listener),
      missed: (id) => findMissedEvents(database.read, { id, kinds: [KIND], now: clock.now() }),
      async *read(events, { access }) {
        const eventId = lastOf(events).get(importId)
        if (eventId !== undefined) yield* await messageOf(access, importId, eventId)
      },
      maxMissed: MAX_MISSED,
    }),
  }
}

/** The last event of each import: earlier ones no longer matter. */
const lastOf = (events: readonly DomainEvent[]): Map<number, number> =>
  new Map(events.map(({ id, payload }) => [(payload as { readonly import_id: number }).import_id, id]))
