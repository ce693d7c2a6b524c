import type { Database } from '../db/database.ts'
import type { RepoFiles } from '../domain/repos/index.ts'
import { EventDispatcher } from '../events/index.ts'
import { JobRunner, Schedule } from '../jobs/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { createJobHandlers } from './job-handlers.ts'
import { createSubscriptions } from './subscriptions.ts'
import { scheduledTasks } from './tasks.ts'

export interface Background {
  readonly events: EventDispatcher
  readonly jobs: JobRunner
  readonly schedule: Schedule
  start(): void
  /** Resolves when nothing runs any more; what was not finished is taken up at the next start. */
  stop(): Promise<void>
  /** Dispatches events and runs jobs until neither is due: for tests and commands. */
  drain(): Promise<void>
}

export interface BackgroundDeps {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly repoFiles: RepoFiles
}

/** Everything that happens after the answer: events to subscribers, jobs, tasks by the clock. */
export function createBackground(deps: BackgroundDeps): Background {
  const events = new EventDispatcher({ ...deps, subscriptions: createSubscriptions() })
  const jobs = new JobRunner({ ...deps, handlers: createJobHandlers({ ...deps, events }) })
  const schedule = new Schedule({ ...deps, tasks: scheduledTasks })
  return {
    events,
    jobs,
    schedule,
    start() {
      events.start()
      jobs.start()
      schedule.start()
    },
    async stop() {
      schedule.stop()
      await events.stop()
      await jobs.stop()
    },
    async drain() {
      do {
        while (await events.dispatchSome());
        await jobs.drain()
      } while (await events.dispatchSome())
    },
  }
}
