import type { DomainEvent, EventKind } from '../../../../core/events/index.ts'
import { boundedCache } from '../../../../core/platform/lru.ts'
import type { BuildMessages, HookMessage } from './payload.ts'

/** Events whose messages are kept. */
const MAX_EVENTS = 32

/**
 * The same builders, which build the messages of an event once for webhooks and streams while `isShared`, so that both
 * send the same. An event never changes, and its messages say how things were when they were built: none is stale.
 * Another process builds its own.
 */
export function shareMessages(
  builders: ReadonlyMap<EventKind, BuildMessages>,
  isShared: () => boolean,
): ReadonlyMap<EventKind, BuildMessages> {
  const built = boundedCache<number, Promise<readonly HookMessage[]>>(MAX_EVENTS)
  const sharing =
    (build: BuildMessages): BuildMessages =>
    (event: DomainEvent) => {
      const known = built.get(event.id)
      if (known !== undefined || !isShared()) return known ?? build(event)
      const building = build(event)
      built.set(event.id, building)
      building.catch(() => built.delete(event.id))
      return building
    }
  return new Map([...builders].map(([kind, build]) => [kind, sharing(build)]))
}
