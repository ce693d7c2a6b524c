import type { Core } from '../../../core/module.ts'
import { type EventKind, findMissedEvents, type DomainEvent } from '../../../core/events/index.ts'
import { createPauses } from '../../../core/platform/concurrency/pauses.ts'
import { type RepoId, asId } from '../../../core/platform/crypto/ids.ts'
import type { BuildMessages, HookMessage } from '../hooks/payloads/payload.ts'
import { type RepoInView, type Repo, repoQueries } from '../../repositories/index.ts'
import {
  addListener,
  type StreamPublisher,
  type Channel,
  type Listener,
  type Message,
} from '../../../core/streams/index.ts'
import { canReadUnits, isShownKind, SHOWN_KINDS, type ShownEvent, showEvent } from './repo-events.policy.ts'
import type { Unit } from '../../../core/access/repo-access.ts'
import { isGitError } from '../../../core/git/index.ts'
import type { Db } from '../../../core/db/database.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import { type User, userQueries } from '../../accounts/index.ts'
import { presentEvent } from './repo-event.present.ts'

/** Streams events of repositories to connected clients (behaviour/repositories#event-stream). */
export interface RepoEventPublisher extends StreamPublisher {
  channel(repoId: RepoId): Channel<RepoInView>
}

interface RepoEventPublisherDeps extends Pick<Core, 'database' | 'clock' | 'log'> {
  readonly messageBuilders: ReadonlyMap<EventKind, BuildMessages>
}

/** The maximum number of messages to a client that resumes; each is built again. */
const MAX_MISSED = 1000

export function createRepoEventPublisher({
  database: { read },
  clock,
  log,
  messageBuilders,
}: RepoEventPublisherDeps): RepoEventPublisher {
  const listeners = new Map<number, Set<Listener<RepoInView>>>()
  const notices = createNotices({ read, log, messageBuilders })
  return {
    wants: ({ repoId, kind }) => listeners.has(repoId) && isShownKind(kind),
    async publish(events) {
      for await (const notice of notices.load(events)) await sendAll(listeners.get(notice.repoId) ?? [], notice)
    },
    channel: (repoId) => ({
      join: (listener) => addListener(listeners, repoId, listener),
      missed: (id) => findMissedEvents(read, { id, repoId, kinds: SHOWN_KINDS, now: clock.now() }),
      async *read(events, listener) {
        const canRead = ({ units }: Pick<Notice, 'units'>) => canReadUnits(listener.access.access, units)
        for await (const notice of notices.load(events, canRead))
          if ((await listener.isAdmitted()) && canRead(notice)) yield notice.message
      },
      maxMissed: MAX_MISSED,
    }),
  }
}

async function sendAll(listeners: Iterable<Listener<RepoInView>>, { units, message }: Notice): Promise<void> {
  const pause = createPauses()
  for (const listener of listeners) {
    if ((await listener.isReady()) && canReadUnits(listener.access.access, units)) listener.send([message])
    await pause()
  }
}

/** A message with the units of which a reader needs one, see `ShownEvent`. */
interface Notice {
  readonly repoId: number
  readonly units: readonly Unit[]
  readonly message: Message
}

interface NoticeDeps {
  readonly read: Db
  readonly log: Logger
  readonly messageBuilders: ReadonlyMap<EventKind, BuildMessages>
}

function createNotices({ read, log, messageBuilders }: NoticeDeps) {
  /**
   * NOTE: catches errors, because an event that cannot be built would end every stream that reaches it, again and
   * again.
   */
  async function build(event: DomainEvent): Promise<readonly HookMessage[]> {
    try {
      return (await messageBuilders.get(event.kind)?.(event)) ?? []
    } catch (error) {
      if (isDomainError(error, 'unavailable') || isGitError(error, 'busy') || isGitError(error, 'timeout')) throw error
      log.error(
        { err: error, event: event.id, kind: event.kind },
        'failed to build the messages of an event for its stream',
      )
      return []
    }
  }

  return {
    /** The messages of the events for all listeners; skips events that `isWanted` rejects. */
    async *load(
      events: readonly DomainEvent[],
      isWanted: (shown: ShownEvent) => boolean = () => true,
    ): AsyncIterable<Notice> {
      if (events.length === 0) return
      const [repos, actors] = await Promise.all([
        repoQueries.listByIds(read, [...new Set(events.map(({ repoId }) => asId<RepoId>(repoId)))]),
        userQueries.listByIds(
          read,
          events.map(({ actorId }) => asId(actorId)),
        ),
      ])
      const repoOf = new Map<number, Repo>(repos.map((repo) => [repo.id, repo]))
      const actorOf = new Map<number, User>(actors.map((user) => [user.id, user]))
      for (const event of events) {
        const shown = showEvent(event)
        const repo = repoOf.get(event.repoId)
        if (shown === undefined || repo === undefined || !isWanted(shown)) continue
        const facts = { repo, actor: actorOf.get(event.actorId), shown: shown.payload, messages: await build(event) }
        yield { repoId: event.repoId, units: shown.units, message: presentEvent(event, facts) }
      }
    },
  }
}
