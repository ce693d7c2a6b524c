import type { DomainEvent, EventKind } from '../../../../core/events/index.ts'
import { boundedCache } from '../../../../core/platform/lru.ts'
import type { BuildMessages, HookMessage } from './payload.ts'

/** The maximum number of cached events. */
const MAX_EVENTS = 32

/**
 * Wraps builders so that webhooks and streams share the messages of an event while `isShared`, and both send the same.
 * Entries never become stale: an event never changes, and its messages show the state at build time. Each process
 * builds its own.
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
