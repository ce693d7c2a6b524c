import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { lockRun } from '../runs/run.store.ts'
import { requireRun } from '../runs/runs.service.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { StoredFiles } from '../stored-files.ts'
import { requireArtifactName } from './artifact.policy.ts'
import {
  type Artifact,
  deleteArtifactNamed,
  findReadyArtifact,
  insertArtifact,
  listReadyArtifacts,
} from './artifact.store.ts'
import type { Upload, UploadName } from './uploads/upload.store.ts'
import type { ReceivedFile, UploadOptions, Uploads } from './uploads/uploads.service.ts'

interface ArtifactUploadDeps extends Pick<Core, 'database' | 'clock'> {
  readonly files: Pick<StoredFiles, 'release'>
  readonly uploads: Uploads
  readonly retentionMs: number
}

interface ArtifactFilter {
  readonly name?: string | undefined
  readonly id?: number | undefined
}

/** Artifacts that one answer lists. */
const MAX_LISTED = 1000

export type ArtifactUploads = ReturnType<typeof createArtifactUploads>

/** The artifacts of a run, for its jobs (behaviour/actions#artifact-protocols-and-cache). */
export function createArtifactUploads({ database, clock, files, uploads, retentionMs }: ArtifactUploadDeps) {
  const { read } = database
  const uploadName = (task: RunningTask, name: string): UploadName => ({
    repoId: task.repoId,
    taskId: task.id,
    kind: 'v4',
    name,
    variant: '',
  })

  /** Replaces an artifact of the run with the same name. Throws NotFound when the run was deleted. */
  async function record(
    tx: Tx,
    runId: number,
    upload: Upload,
    { hash, digest, size }: ReceivedFile,
  ): Promise<Artifact> {
    const at = clock.now()
    requireRun(await lockRun(tx, upload.repoId, runId))
    await files.release(tx, await deleteArtifactNamed(tx, runId, upload.name))
    return insertArtifact(tx, {
      repo_id: upload.repoId,
      run_id: runId,
      task_id: upload.taskId,
      name: upload.name,
      protocol: 'v4',
      status: 'ready',
      mime_type: upload.mimeType,
      hash,
      digest,
      size,
      expires_at: Math.min(upload.expiresAt || Infinity, at + retentionMs),
      created_at: at,
      updated_at: at,
    })
  }

  async function getReady(task: RunningTask, name: string): Promise<Artifact> {
    const found = await findReadyArtifact(read, task.runId, { name })
    if (found === undefined) throw errors.artifactNotFound()
    return found
  }

  return {
    /** Throws BadRequest for a name that is not allowed, and QuotaExceeded. */
    begin: (task: RunningTask, name: string | undefined, options: UploadOptions): Promise<Upload> =>
      uploads.begin(uploadName(task, requireArtifactName(name)), options),

    /**
     * Completes the upload that the task began. A repeated call has the result of the first one. Throws BadRequest when
     * the size or the hash is not the announced one, NotFound for an unknown upload.
     */
    async finish(
      task: RunningTask,
      name: string,
      announced: { readonly size?: number | undefined; readonly hash?: string | undefined },
    ): Promise<Artifact> {
      const upload = await uploads.find(uploadName(task, name))
      if (upload !== undefined)
        return uploads.finish(upload, announced, (tx, file) => record(tx, task.runId, upload, file))
      const made = await getReady(task, name)
      if (made.taskId !== task.id || (announced.size ?? made.size) !== made.size)
        throw badRequest('[name]: no upload of this name was begun')
      return made
    },

    /** Sorted by id. */
    async list(task: RunningTask, { name, id }: ArtifactFilter): Promise<Artifact[]> {
      if (name === undefined && id === undefined) return listReadyArtifacts(read, task.runId, MAX_LISTED)
      const key = id === undefined ? { name: name! } : { id }
      const found = await findReadyArtifact(read, task.runId, key)
      return found === undefined || (name !== undefined && found.name !== name) ? [] : [found]
    },

    /** Throws NotFound. */
    get: getReady,

    /** Throws NotFound. */
    async delete(task: RunningTask, name: string): Promise<Artifact> {
      const found = await getReady(task, name)
      await database.transaction(async (tx) => files.release(tx, await deleteArtifactNamed(tx, task.runId, name)))
      return found
    },
  }
}
