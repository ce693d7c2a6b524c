import type { Unit } from '../../../core/access/units.ts'
import type { Db } from '../../../core/db/database.ts'
import type { DomainEvent, EventKind } from '../../../core/events/index.ts'
import { asId, type RepoId } from '../../../core/platform/crypto/ids.ts'
import { isDomainError } from '../../../core/platform/errors.ts'
import type { Logger } from '../../../core/platform/logger.ts'
import type { BuildMessages, HookMessage } from '../hooks/payloads/payload.ts'
import { type Repo, listReposByIds } from '../../repositories/index.ts'
import type { Message } from '../../../core/streams/index.ts'
import { type User, listUsersByIds } from '../../accounts/index.ts'
import { presentEvent } from './repo-event.present.ts'
import { type ShownEvent, showEvent } from './shown-events.policy.ts'

/** A message with the units that a reader needs one of, see `ShownEvent`. */
export interface Notice {
  readonly repoId: number
  readonly units: readonly Unit[]
  readonly message: Message
}

interface NoticeDeps {
  readonly read: Db
  readonly log: Logger
  readonly messageBuilders: ReadonlyMap<EventKind, BuildMessages>
}

export function createNotices({ read, log, messageBuilders }: NoticeDeps) {
  /** NOTE: an event that cannot be built would else end every stream that comes to it, again and again. */
  async function build(event: DomainEvent): Promise<readonly HookMessage[]> {
    try {
      return (await messageBuilders.get(event.kind)?.(event)) ?? []
    } catch (error) {
      if (isDomainError(error, 'unavailable')) throw error
      log.error({ err: error, event: event.id, kind: event.kind }, 'messages of an event not built for its stream')
      return []
    }
  }

  return {
    /** What the events say, for all listeners; those that `isWanted` leaves out are not built. */
    async *load(
      events: readonly DomainEvent[],
      isWanted: (shown: ShownEvent) => boolean = () => true,
    ): AsyncIterable<Notice> {
      if (events.length === 0) return
      const [repos, actors] = await Promise.all([
        listReposByIds(read, [...new Set(events.map(({ repoId }) => asId<RepoId>(repoId)))]),
        listUsersByIds(
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
