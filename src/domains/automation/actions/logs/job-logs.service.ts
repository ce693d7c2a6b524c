import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import type { BlobStore } from '../../../../core/blobs/index.ts'
import type { Database } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { isDomainError, notFound } from '../../../../core/platform/errors.ts'
import type { ByteRange } from '../../../../core/platform/http/media-type.ts'
import { findRun } from '../runs/run.store.ts'
import { requireJob, requireRun } from '../runs/runs.service.ts'
import { findJob, type Job, listAllJobsOfRun } from '../runs/job.store.ts'
import { findTaskOfAttempt, listTasksByIds, type Task } from '../runs/task.store.ts'
import { openLog } from './log-files.ts'

interface JobLogDeps {
  readonly database: Database
  readonly blobs: Pick<BlobStore, 'open'>
}

interface LogFile {
  readonly taskId: number
  readonly fileName: string
  /** Bytes of the text. */
  readonly size: number
  open(range?: ByteRange): Promise<Readable>
}

/** A job of a run with its latest task; undefined before a runner took it. */
interface JobTask {
  readonly job: Job
  readonly task: Task | undefined
}

export type JobLogs = ReturnType<typeof createJobLogs>

/** Reads the logs of jobs (behaviour/actions#runs-jobs-workflows-tasks-artifacts). */
export function createJobLogs({ database: { read }, blobs }: JobLogDeps) {
  const openTask = (task: Task, range?: ByteRange): Promise<Readable> => openLog({ read, blobs }, task, range)

  /** Adds one entry after the other, at the pace of the reader; stops when the reader has left. */
  async function fill(zip: ZipFile, jobs: readonly JobTask[]): Promise<void> {
    let body: Readable | undefined
    zip.outputStream.once('close', () => body?.destroy())
    for (const { job, task } of jobs) {
      const name = `${entryName(job.name)}-${job.id}-attempt-${job.attempt}.log`
      body = task === undefined || task.isLogExpired ? undefined : await openIfStored(task)
      if (body === undefined) zip.addBuffer(Buffer.alloc(0), `${name}.MISSING`)
      else {
        zip.addReadStream(body, name)
        await finished(body)
      }
    }
    zip.end()
  }

  async function openIfStored(task: Task): Promise<Readable | undefined> {
    try {
      return await openTask(task)
    } catch (error) {
      if (isDomainError(error, 'not-found')) return undefined
      throw error
    }
  }

  return {
    /**
     * The log of an attempt of a job, by default the latest one. Throws NotFound before the job has started, for an
     * attempt that it does not have, and when the log is expired.
     */
    async find(
      repoId: RepoId,
      { jobId, attempt }: { readonly jobId: number; readonly attempt?: number | undefined },
    ): Promise<LogFile> {
      const job = requireJob(await findJob(read, repoId, jobId))
      const task =
        attempt === undefined
          ? (await listTasksByIds(read, [job.taskId]))[0]
          : await findTaskOfAttempt(read, jobId, attempt)
      if (task === undefined) throw notFound('the job has no such attempt, or has not begun')
      if (task.isLogExpired) throw notFound('the log is expired')
      const { workflow } = requireRun(await findRun(read, repoId, job.runId))
      return {
        taskId: task.id,
        fileName: `${workflow}-${job.name}-${task.id}.log`,
        size: task.logTextSize,
        open: (range) => openTask(task, range),
      }
    },

    /** A zip file with the log of the latest attempt of each job, by id of the job. Throws NotFound. */
    async openArchive(repoId: RepoId, runId: number): Promise<{ readonly fileName: string; readonly body: Readable }> {
      const { workflow } = requireRun(await findRun(read, repoId, runId))
      const jobs = await listAllJobsOfRun(read, runId)
      const tasks = await listTasksByIds(
        read,
        jobs.map(({ taskId }) => taskId),
      )
      const taskOf = new Map(tasks.map((task) => [task.id, task]))
      const zip = new ZipFile()
      const body = zip.outputStream as Readable
      zip.on('error', (error: Error) => body.destroy(error))
      fill(
        zip,
        jobs.map((job) => ({ job, task: taskOf.get(job.taskId) })),
      ).catch((error: Error) => body.destroy(error))
      return { fileName: `${workflow}-${runId}-logs.zip`, body }
    },
  }
}

const MAX_NAME = 200

// oxlint-disable-next-line no-control-regex
const WRONG_CHARACTERS = /[\x00-\x1f\x7f"*/:<>?\\|]/g

/** A name that every program can unpack. */
const entryName = (name: string): string => name.slice(0, MAX_NAME).toWellFormed().replaceAll(WRONG_CHARACTERS, '_')
