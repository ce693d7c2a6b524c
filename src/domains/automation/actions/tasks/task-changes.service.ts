import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { RunStatus } from '../runs/run-status.policy.ts'
import { endSteps, lockRunnerTask, updateTask } from './runner-task.store.ts'

/** Time for the last lines of a log that arrive after the end of the task. */
const LOG_GRACE_MS = 600_000

export type TaskChanges = ReturnType<typeof createTaskChanges>

/** How tasks end; the caller ends the job (behaviour/actions#runner-protocol). */
export function createTaskChanges({ clock, jobs }: Pick<Core, 'clock' | 'jobs'>) {
  return {
    /** Ends a running task and its token; false if it had ended. */
    async end(tx: Tx, id: number, status: RunStatus): Promise<boolean> {
      const task = await lockRunnerTask(tx, id)
      if (task?.status !== 'running') return false
      const at = clock.now()
      await updateTask(tx, id, { status, stopped_at: at, updated_at: at, token_hash: '' })
      await endSteps(tx, id, { status, at })
      if (!task.isLogSealed) await jobs.enqueue(tx, 'actions.seal_log', { task: id }, { delay: LOG_GRACE_MS })
      return true
    },
  }
}
