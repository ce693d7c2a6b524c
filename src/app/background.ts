import type { Database } from '../db/database.ts'
import { EventDispatcher } from '../events/index.ts'
import type { Git, PackCache } from '../git/index.ts'
import { enqueue, JobRunner, Schedule } from '../jobs/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import type { Attachments } from '../subjects/attachments/attachments.service.ts'
import type { Avatars } from '../subjects/avatars/avatars.service.ts'
import type { Migrations } from '../subjects/imports/imports.service.ts'
import type { Languages } from '../subjects/languages/languages.service.ts'
import type { LfsObjects } from '../subjects/lfs/lfs-objects.service.ts'
import type { PullMirrors } from '../subjects/mirrors/pull-mirrors.service.ts'
import type { PushMirrors } from '../subjects/mirrors/push-mirrors.service.ts'
import type { Pushes } from '../subjects/pushes/accept-push.ts'
import type { RepoFiles } from '../subjects/repos/repo-files.ts'
import type { Social } from '../subjects/social/social.service.ts'
import type { Wikis } from '../subjects/wiki/wikis.service.ts'
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
  readonly git: Git
  readonly gitDoors: {
    readonly pushes: Pushes
    readonly archiveCache: PackCache | undefined
    readonly bundleMinBytes: number
  }
  readonly migrations: Migrations
  readonly pullMirrors: PullMirrors
  readonly pushMirrors: PushMirrors
  readonly attachments: Attachments
  readonly languages: Languages
  readonly avatars: Avatars
  readonly lfsObjects: LfsObjects
  readonly repoFiles: RepoFiles
  readonly social: Social
  readonly wikis: Wikis
}

/** Everything that happens after the answer: events to subscribers, jobs, tasks by the clock. */
export function createBackground(deps: BackgroundDeps): Background {
  const events = new EventDispatcher({ ...deps, subscriptions: createSubscriptions(deps) })
  const jobs = new JobRunner({ ...deps, handlers: createJobHandlers({ ...deps, ...deps.gitDoors, events }) })
  const schedule = new Schedule({ ...deps, tasks: scheduledTasks })
  return {
    events,
    jobs,
    schedule,
    start() {
      events.start()
      jobs.start()
      schedule.start()
      void healAfterCrash(deps)
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

/** A process that was killed may have moved refs without their rows, or left files behind: look once at every start. */
async function healAfterCrash({ database, clock, log }: BackgroundDeps): Promise<void> {
  try {
    await database.transaction(async (tx) => {
      await enqueue(tx, 'repos.reconcile', {}, { now: clock.now(), key: 'all' })
      await enqueue(tx, 'git.clean', {}, { now: clock.now(), key: 'all' })
      await enqueue(tx, 'imports.clear', { started_before: clock.now() }, { now: clock.now(), key: 'all' })
    })
  } catch (error) {
    log.error({ err: error }, 'start-up checks not scheduled')
  }
}
