import { createZstdCompress } from 'node:zlib'
import { type Readable, pipeline, Readable as Stream } from 'node:stream'
import type { Core } from '../../../../core/module.ts'
import type { BlobStore } from '../../../../core/blobs/index.ts'
import { errors } from '../../../errors.ts'
import { insertLogLines, readLogLines } from '../runs/task.store.ts'
import type { CallingRunner } from '../runners/runner-login.ts'
import type { LogPart } from './log-request.ts'
import { deleteLogLines, findRunnerTask, lockRunnerTask, updateTask } from './runner-task.store.ts'
import { checkTaskId, HEARTBEAT_MS, requireTask } from './task-reports.service.ts'

interface TaskLogDeps extends Pick<Core, 'database' | 'clock' | 'jobs'> {
  readonly blobs: Pick<BlobStore, 'put'>
}

/** Bytes of the lines of one log; what follows is counted but not stored. */
const MAX_LOG = 1024 ** 3
/** Bytes of the lines of a log that stays in the database: a file of its own would take as much, and a sync. */
const SHORT_LOG = 16 * 1024

export type TaskLogs = ReturnType<typeof createTaskLogs>

/**
 * The logs of tasks: appended while they run, then sealed; long ones move into a compressed blob
 * (behaviour/actions#runner-protocol).
 */
export function createTaskLogs({ database, clock, jobs, blobs }: TaskLogDeps) {
  /** Records that the runner of a task is alive. Returns the number of lines of the log. */
  async function recordHeartbeat(runner: CallingRunner, id: number): Promise<number> {
    const task = requireTask(await findRunnerTask(database.read, id), runner)
    const now = clock.now()
    if (task.status === 'running' && now - task.updatedAt >= HEARTBEAT_MS)
      await database.transaction((tx) => updateTask(tx, id, { updated_at: now }))
    return task.logLines
  }

  /** Returns the number of lines of the log. */
  async function appendPart(runner: CallingRunner, part: LogPart): Promise<number> {
    checkTaskId(part.taskId)
    if (part.lines.length === 0) return recordHeartbeat(runner, part.taskId)
    return database.transaction(async (tx) => {
      const task = requireTask(await lockRunnerTask(tx, part.taskId), runner)
      if (!hasNewLines(part, task.logLines)) return task.logLines
      if (task.isLogSealed) throw errors.logSealed()
      const lines = part.lines.slice(task.logLines - part.index)
      const text = `${lines.join('\n')}\n`
      const isStored = task.logTextSize < MAX_LOG
      if (isStored) await insertLogLines(tx, { task_id: task.id, first_line: task.logLines, text })
      const size = task.logTextSize + (isStored ? Buffer.byteLength(text) : 0)
      await updateTask(tx, task.id, {
        log_lines: task.logLines + lines.length,
        log_text_size: size,
        updated_at: clock.now(),
        ...(part.noMore && { is_log_sealed: 1 }),
      })
      if (part.noMore && size > SHORT_LOG) await jobs.enqueue(tx, 'actions.seal_log', { task: task.id })
      return task.logLines + lines.length
    })
  }

  return {
    /**
     * Appends the lines that the log does not have yet; nothing when some before them are missing. Returns the number of
     * its lines. Throws NotFound, Forbidden for the task of another runner, and Conflict when the log is complete.
     */
    async append(runner: CallingRunner, parts: AsyncIterable<LogPart>): Promise<number> {
      let lines = 0
      for await (const part of parts) lines = await appendPart(runner, part)
      return lines
    },

    /** Refuses later lines of a log, and moves its lines into a blob unless it is short. */
    async seal(id: number): Promise<void> {
      await database.transaction((tx) => updateTask(tx, id, { is_log_sealed: 1 }))
      const task = await findRunnerTask(database.read, id)
      if (task === undefined || task.logTextSize <= SHORT_LOG || task.logHash !== '') return
      const compressed: Readable = pipeline(
        Stream.from(readLogLines(database.read, id)),
        createZstdCompress(),
        () => {},
      )
      await blobs.put(compressed, {}, ({ hash, size }) =>
        database.transaction(async (tx) => {
          await updateTask(tx, id, { log_hash: hash, log_size: size, log_encoding: 'zstd' })
          await deleteLogLines(tx, id)
        }),
      )
    },
  }
}

/** Whether a part has lines after the stored ones, without a gap. */
const hasNewLines = ({ index, lines }: LogPart, stored: number): boolean =>
  index <= stored && index + lines.length > stored
