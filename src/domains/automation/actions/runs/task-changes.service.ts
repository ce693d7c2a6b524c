import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { RunStatus } from './run-status.policy.ts'
import { endTask, listTasksEndedByRunners, requestCancellation } from './task.store.ts'

/** Time for the last lines of a log that arrive after the end of the task. */
const LOG_GRACE_MS = 600_000

export type TaskChanges = ReturnType<typeof createTaskChanges>

/** How tasks end; the caller ends the jobs (behaviour/actions#runner-protocol). */
export function createTaskChanges({ clock, jobs }: Pick<Core, 'clock' | 'jobs'>) {
  /** Ends a running task and its token; false if it had ended. */
  async function end(tx: Tx, id: number, status: RunStatus): Promise<boolean> {
    const task = await endTask(tx, id, { status, at: clock.now() })
    if (task === undefined) return false
    if (!task.isLogSealed) await jobs.enqueue(tx, 'actions.seal_log', { task: id }, { delay: LOG_GRACE_MS })
    return true
  }

  return {
    end,

    /**
     * Tells the runners of running tasks to stop, and ends the tasks. Those whose runners end cancelled jobs themselves
     * keep running, unless `isForced`; returns their ids.
     */
    async cancel(tx: Tx, ids: readonly number[], isForced: boolean): Promise<readonly number[]> {
      if (ids.length === 0) return []
      await requestCancellation(tx, ids, clock.now())
      const kept = isForced ? [] : await listTasksEndedByRunners(tx, ids)
      for (const id of ids) if (!kept.includes(id)) await end(tx, id, 'cancelled')
      return kept
    },
  }
}
