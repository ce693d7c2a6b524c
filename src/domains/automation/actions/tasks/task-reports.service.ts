import type { Core } from '../../../../core/module.ts'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { RunProgress } from '../runs/run-progress.service.ts'
import type { RunStatus } from '../runs/run-status.policy.ts'
import { lockRunOfTask } from '../runs/run.store.ts'
import type { TaskChanges } from '../runs/task-changes.service.ts'
import { deleteRunner } from '../runners/runner.store.ts'
import type { CallingRunner } from '../runners/runner-login.ts'
import {
  findRunnerTask,
  insertOutputs,
  listOutputNames,
  listStoredSteps,
  lockRunnerTask,
  measureOutputs,
  putSteps,
  type RunnerTask,
  type StoredStep,
  updateTask,
} from './runner-task.store.ts'

/** Times are epoch milliseconds, 0 for never. */
interface ReportedStep extends StoredStep {
  readonly startedAt: number
  readonly stoppedAt: number
}

export interface TaskReport {
  readonly taskId: number
  /** Undefined while it runs. */
  readonly result: RunStatus | undefined
  readonly steps: readonly ReportedStep[]
  readonly outputs: Readonly<Record<string, string>>
}

export interface ReportAnswer {
  /** The state at the server: `cancelled` tells the runner to stop. */
  readonly status: RunStatus
  readonly outputNames: readonly string[]
}

interface TaskReportDeps extends Pick<Core, 'database' | 'clock'> {
  readonly progress: Pick<RunProgress, 'jobEnded'>
  readonly changes: Pick<TaskChanges, 'end'>
}

/** Requests without news are written this often, as a sign of life. */
export const HEARTBEAT_MS = 5_000
const MAX_STEPS = 1_000
const MAX_OUTPUTS = 1_000
const MAX_NAME = 255
const MAX_VALUE = 1024 * 1024
/** Characters of the outputs of a run: jobs that need others get all of theirs at once. */
const MAX_OF_RUN = 16 * 1024 * 1024

export type TaskReports = ReturnType<typeof createTaskReports>

/** What runners report of their tasks (behaviour/actions#runner-protocol). */
export function createTaskReports({ database, clock, progress, changes }: TaskReportDeps) {
  async function write(tx: Tx, task: RunnerTask, report: TaskReport): Promise<void> {
    const now = clock.now()
    const inTask = (at: number): number => (at <= 0 ? 0 : Math.min(Math.max(at, task.startedAt), now))
    await putSteps(
      tx,
      (await newsOf(tx, report)).map((step) => ({
        task_id: task.id,
        number: step.number,
        status: step.status,
        log_index: step.logIndex,
        log_length: step.logLength,
        started_at: inTask(step.startedAt),
        stopped_at: inTask(step.stoppedAt),
      })),
    )
    if (Object.keys(report.outputs).length === 0) return
    await insertOutputs(tx, task.id, report.outputs)
    const { count, size } = await measureOutputs(tx, task)
    if (count > MAX_OUTPUTS) throw tooManyOutputs()
    if (size > MAX_OF_RUN) throw invalid(`outputs: those of a run have at most ${MAX_OF_RUN} characters`)
  }

  async function hasNews(task: RunnerTask, report: TaskReport): Promise<boolean> {
    if (Object.keys(report.outputs).length > 0) return true
    if (clock.now() - task.updatedAt >= HEARTBEAT_MS) return true
    return (await newsOf(database.read, report)).length > 0
  }

  /** Stores a report of a running task. Returns the task as it is then. */
  async function storeProgress(runner: CallingRunner, report: TaskReport): Promise<RunnerTask> {
    const known = requireTask(await findRunnerTask(database.read, report.taskId), runner)
    if (known.status !== 'running' || !(await hasNews(known, report))) return known
    return database.transaction(async (tx) => {
      const task = requireTask(await lockRunnerTask(tx, report.taskId), runner)
      if (task.status !== 'running') return task
      await write(tx, task, report)
      await updateTask(tx, task.id, { updated_at: clock.now() })
      return task
    })
  }

  /** Stores the last report of a task. Returns the task as it is then. */
  async function storeEnd(runner: CallingRunner, report: TaskReport, reported: RunStatus): Promise<RunnerTask> {
    return database.transaction(async (tx) => {
      // NOTE: the run is locked before the task, as whoever cancels does it.
      const run = await lockRunOfTask(tx, report.taskId)
      const task = requireTask(await lockRunnerTask(tx, report.taskId), runner)
      if (runner.isEphemeral) await deleteRunner(tx, runner.id)
      if (task.status !== 'running') return task
      // NOTE: a runner that ends cancelled jobs itself reports success when the step that it interrupted is not failed.
      const result = task.cancelRequestedAt > 0 ? 'cancelled' : reported
      await write(tx, task, report)
      await changes.end(tx, task.id, result)
      await progress.jobEnded(tx, run!, task.jobId, result)
      return { ...task, status: result }
    })
  }

  return {
    /** Throws NotFound, Forbidden for the task of another runner, and Invalid. A task that has ended stays as it is. */
    async report(runner: CallingRunner, report: TaskReport): Promise<ReportAnswer> {
      checkReport(report)
      const { result, outputs } = report
      const task = await (result === undefined ? storeProgress(runner, report) : storeEnd(runner, report, result))
      const hasOutputs = task.hasOutputs || Object.keys(outputs).length > 0
      return {
        status: task.status === 'running' && task.cancelRequestedAt > 0 ? 'cancelled' : task.status,
        outputNames: hasOutputs ? await listOutputNames(database.read, task.id) : [],
      }
    },
  }
}

/** NOTE: PostgreSQL refuses a number that its column cannot have. Throws NotFound. */
export function checkTaskId(id: number): void {
  if (!Number.isSafeInteger(id)) throw errors.taskNotFound()
}

const tooManyOutputs = () => invalid(`outputs: at most ${MAX_OUTPUTS} are allowed`)

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0

/** Throws NotFound, and Forbidden for the task of another runner. */
export function requireTask(task: RunnerTask | undefined, runner: CallingRunner): RunnerTask {
  if (task === undefined) throw errors.taskNotFound()
  if (task.runnerId !== runner.id) throw errors.taskOfOtherRunner()
  return task
}

/** The steps that are not stored as they are reported. */
async function newsOf(db: Db, { taskId, steps }: TaskReport): Promise<readonly ReportedStep[]> {
  if (steps.length === 0) return []
  const stored = new Map((await listStoredSteps(db, taskId)).map((step) => [step.number, step]))
  const reported = new Map(steps.map((step) => [step.number, step]))
  return [...reported.values()].filter((step) => isNews(stored.get(step.number), step))
}

function isNews(known: StoredStep | undefined, step: ReportedStep): boolean {
  if (known === undefined) return true
  return known.status !== step.status || known.logIndex !== step.logIndex || known.logLength !== step.logLength
}

function checkReport({ taskId, steps, outputs }: TaskReport): void {
  checkTaskId(taskId)
  if (steps.length > MAX_STEPS || steps.some(({ number }) => !(number >= 0 && number < MAX_STEPS)))
    throw invalid(`steps: at most ${MAX_STEPS} are allowed`)
  if (steps.some(({ logIndex, logLength }) => !isCount(logIndex) || !isCount(logLength)))
    throw invalid('steps: numbers of lines are not negative, and less than 2^53')
  const entries = Object.entries(outputs)
  if (entries.length > MAX_OUTPUTS) throw tooManyOutputs()
  for (const [name, value] of entries)
    if (name.length > MAX_NAME || Buffer.byteLength(value) > MAX_VALUE || `${name}${value}`.includes('\0'))
      throw invalid(`outputs: names of ${MAX_NAME} characters and values of 1 MiB without NUL are allowed`)
}
