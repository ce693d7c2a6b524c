import type { EventDispatcher } from '../events/index.ts'
import type { JobHandlers } from '../jobs/index.ts'

export interface JobHandlerDeps {
  readonly events: EventDispatcher
}

/** One handler for each kind of job; long ones live in jobs/handlers. */
export function createJobHandlers({ events }: JobHandlerDeps): JobHandlers {
  return {
    'events.prune': () => events.prune(),
  }
}
