import type { EventDispatcher } from '../events/index.ts'
import type { RepoFiles } from '../domain/repos/index.ts'
import type { JobHandlers } from '../jobs/index.ts'

export interface JobHandlerDeps {
  readonly events: EventDispatcher
  readonly repoFiles: RepoFiles
}

/** One handler for each kind of job; long ones live in jobs/handlers. */
export function createJobHandlers({ events, repoFiles }: JobHandlerDeps): JobHandlers {
  return {
    'events.prune': () => events.prune(),
    'repo.remove': ({ storage }) => repoFiles.remove(storage),
    'repos.sweep': (_, signal) => repoFiles.sweep(signal),
  }
}
