import type { Core } from '../../../../core/module.ts'
import type { ActionsSettings } from '../actions-settings.ts'
import { listJobsByIds } from '../runs/job.store.ts'
import type { RunProgress } from '../runs/run-progress.service.ts'
import { lockRun } from '../runs/run.store.ts'
import type { TaskChanges } from '../runs/task-changes.service.ts'
import { deleteEphemeralRunner, deleteSilentEphemeralRunners } from '../runners/runner.store.ts'
import { listAbandonedJobs, listOverdueTasks, type OverdueTask } from './overdue.store.ts'

/** `zombie`: tasks without reports; `endless`: tasks that run too long; `abandoned`: jobs that nobody takes. */
export type OverdueKind = 'zombie' | 'endless' | 'abandoned'

interface OverdueDeps extends Pick<Core, 'database' | 'clock'> {
  readonly progress: Pick<RunProgress, 'jobEnded'>
  readonly changes: Pick<TaskChanges, 'end'>
  readonly settings: Pick<ActionsSettings, 'zombieMs' | 'endlessMs' | 'abandonedMs'>
}

const BATCH = 100

export type OverdueWork = ReturnType<typeof createOverdueWork>

/** Ends jobs and tasks that runners have abandoned (behaviour/actions#housekeeping). */
export function createOverdueWork({ database, clock, progress, changes, settings }: OverdueDeps) {
  const endTask = ({ id, jobId, runnerId, isCancelled }: OverdueTask): Promise<void> =>
    database.transaction(async (tx) => {
      const [job] = await listJobsByIds(tx, [jobId])
      const run = job && (await lockRun(tx, job.repoId, job.runId))
      if (run === undefined) return
      const status = isCancelled ? 'cancelled' : 'failure'
      if (await changes.end(tx, id, status)) await progress.jobEnded(tx, run, jobId, status)
      await deleteEphemeralRunner(tx, runnerId)
    })

  const cancelJob = (id: number): Promise<void> =>
    database.transaction(async (tx) => {
      const [known] = await listJobsByIds(tx, [id])
      const run = known && (await lockRun(tx, known.repoId, known.runId))
      if (run === undefined) return
      const [job] = await listJobsByIds(tx, [id])
      if (job?.status === 'waiting' || job?.status === 'blocked') await progress.jobEnded(tx, run, id, 'cancelled')
    })

  return {
    async end(kind: OverdueKind, signal: AbortSignal): Promise<void> {
      const { zombieMs, endlessMs, abandonedMs } = settings
      const age = { zombie: zombieMs, endless: endlessMs, abandoned: abandonedMs }[kind]
      const due = { before: clock.now() - age, limit: BATCH }
      for (let size = BATCH; size === BATCH;) {
        signal.throwIfAborted()
        if (kind === 'abandoned') {
          const ids = await listAbandonedJobs(database.read, due)
          for (const id of ids) await cancelJob(id)
          size = ids.length
        } else {
          const tasks = await listOverdueTasks(database.read, kind === 'zombie' ? 'silent' : 'old', due)
          for (const task of tasks) await endTask(task)
          size = tasks.length
        }
      }
      if (kind === 'zombie') await database.transaction((tx) => deleteSilentEphemeralRunners(tx, due.before))
    },
  }
}
