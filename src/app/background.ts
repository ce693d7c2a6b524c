import { EventDispatcher } from '../core/events/index.ts'
import { JobRunner, type Schedule } from '../core/jobs/index.ts'
import type { Composition } from './compose.ts'

export interface Background {
  readonly events: EventDispatcher
  readonly jobs: JobRunner
  readonly schedule: Schedule
  start(): void
  /** Resolves when nothing runs any more; what was not finished continues at the next start. */
  stop(): Promise<void>
  /** Dispatches events, runs jobs and drains workers until nothing is due: for tests and commands. */
  drain(): Promise<void>
}

/** Everything that happens after the answer: events to subscriptions, jobs, scheduled tasks, workers of modules. */
export function createBackground({ core, eventLog, jobQueue, modules }: Composition): Background {
  const { database, clock, log, schedule, processes } = core
  const events = new EventDispatcher({ database, clock, log, eventLog })
  const jobs = new JobRunner({ database, clock, log, queue: jobQueue, members: processes })
  const stopping = new AbortController()
  const workers = modules.flatMap((module) => module.workers ?? [])
  const drainWorkers = async (): Promise<boolean> => {
    let worked = false
    for (const worker of workers) worked = (await worker.drain()) || worked
    return worked
  }
  let recovering = Promise.resolve()
  let stopRecovering: (() => void) | undefined
  const recover = async (): Promise<void> => {
    for (const { name, recover: enqueueChecks } of modules) {
      if (stopping.signal.aborted) return
      await enqueueChecks?.().catch((error: unknown) =>
        log.error({ err: error, module: name }, 'start-up checks not enqueued'),
      )
    }
  }
  return {
    events,
    jobs,
    schedule,
    start() {
      events.start()
      jobs.start()
      schedule.start()
      for (const worker of workers) worker.start()
      recovering = recover()
      // A process that was killed may have left what a start looks for.
      stopRecovering ??= processes.onEnded((names) => {
        if (names.length > 0) recovering = recovering.then(recover)
      })
    },
    async stop() {
      stopping.abort()
      schedule.stop()
      stopRecovering?.()
      await recovering
      await events.stop()
      await Promise.all([jobs.stop(), ...workers.map((worker) => worker.stop())])
    },
    async drain() {
      do {
        while (await events.dispatchSome());
        await jobs.drain()
      } while ((await drainWorkers()) || (await events.dispatchSome()))
    },
  }
}
