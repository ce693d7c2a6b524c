import { createHash } from 'node:crypto'
import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest, tooLarge } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { lockRun } from '../runs/run.store.ts'
import { requireRun } from '../runs/runs.service.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { StoredFiles } from '../stored-files.ts'
import { requireArtifactName, requireFilePath } from './artifact.policy.ts'
import { type Artifact, insertArtifact } from './artifact.store.ts'
import {
  type ArtifactFile,
  confirmFiles,
  countFiles,
  deleteFormerFile,
  findFile,
  listFileArtifacts,
  listFiles,
} from './artifact-file.store.ts'
import type { Upload, UploadName } from './uploads/upload.store.ts'
import type { ReceivedFile, Uploads } from './uploads/uploads.service.ts'

interface ArtifactFilesDeps extends Pick<Core, 'database' | 'clock'> {
  readonly files: Pick<StoredFiles, 'release'>
  readonly uploads: Uploads
  readonly retentionMs: number
}

/** A part of a file of an artifact. */
export interface SentPart {
  readonly name: string
  readonly path: string
  /** The offset of its first byte. */
  readonly start: number
  /** Bytes of the whole file. */
  readonly total: number
  readonly encoding: string
  /** The MD5 in base64; undefined if the client does not state it. */
  readonly md5: string | undefined
  /** 0: as long as the setting states. */
  readonly retentionDays: number
  readonly source: AsyncIterable<Uint8Array>
  readonly size: number
}

const MAX_FILES = 10_000
const MAX_LISTED = 1000
const DAY_MS = 86_400_000

export type ArtifactFiles = ReturnType<typeof createArtifactFiles>

/** Artifacts that consist of files (behaviour/actions#artifact-protocols-and-cache). Jobs may add to the same one. */
export function createArtifactFiles({ database, clock, files, uploads, retentionMs }: ArtifactFilesDeps) {
  const { read } = database

  async function begin(task: RunningTask, { name, path, encoding, retentionDays }: SentPart): Promise<Upload> {
    const upload: UploadName = { repoId: task.repoId, taskId: task.id, kind: 'v3', name, variant: path }
    const begun = await uploads.find(upload)
    if (begun !== undefined) return begun
    if ((await countFiles(read, task.runId, name)) >= MAX_FILES)
      throw tooLarge(`an artifact has at most ${MAX_FILES} files`)
    const expiresAt = retentionDays === 0 ? 0 : clock.now() + retentionDays * DAY_MS
    return uploads.begin(upload, { encoding, expiresAt })
  }

  /** The file is listed when the artifact is confirmed. Throws NotFound when the run was deleted. */
  async function record(tx: Tx, runId: number, upload: Upload, { hash, size }: ReceivedFile): Promise<Artifact> {
    const at = clock.now()
    requireRun(await lockRun(tx, upload.repoId, runId))
    await files.release(tx, await deleteFormerFile(tx, { runId, name: upload.name, path: upload.variant }))
    return insertArtifact(tx, {
      repo_id: upload.repoId,
      run_id: runId,
      task_id: upload.taskId,
      name: upload.name,
      path: upload.variant,
      protocol: 'v3',
      status: 'uploading',
      encoding: upload.encoding,
      hash,
      size,
      expires_at: Math.min(upload.expiresAt || Infinity, at + retentionMs),
      created_at: at,
      updated_at: at,
    })
  }

  return {
    /**
     * Stores a part; the one that completes the file also records it. Throws BadRequest for a name or path that is not
     * allowed.
     */
    async put(task: RunningTask, part: SentPart): Promise<void> {
      requireArtifactName(part.name)
      requireFilePath(part.path)
      const upload = await begin(task, part)
      await uploads.put(upload, {
        name: String(part.start),
        position: part.start,
        source: part.md5 === undefined ? part.source : withMd5(part.source, part.md5),
        size: part.size,
      })
      const sent = await uploads.find(upload)
      if (sent?.size === part.total)
        await uploads.finish(sent, { size: part.total }, (tx, file) => record(tx, task.runId, sent, file))
    },

    /** Lists the files that jobs sent. Throws NotFound if there are none. */
    async confirm(task: RunningTask, name: string): Promise<void> {
      const count = await database.transaction((tx) => confirmFiles(tx, task.runId, { name, at: clock.now() }))
      if (count === 0) throw errors.artifactNotFound()
    },

    /** The names of the artifacts of the run. */
    listNames: (task: RunningTask): Promise<string[]> => listFileArtifacts(read, task.runId, MAX_LISTED),

    /** Sorted by path. Throws NotFound. */
    async listFiles(task: RunningTask, name: string): Promise<ArtifactFile[]> {
      const found = await listFiles(read, task.runId, name)
      if (found.length === 0) throw errors.artifactNotFound()
      return found
    },

    /** Throws NotFound. */
    async getFile(task: RunningTask, id: number): Promise<ArtifactFile> {
      const found = await findFile(read, task.runId, id)
      if (found === undefined) throw errors.artifactNotFound()
      return found
    },
  }
}

async function* withMd5(source: AsyncIterable<Uint8Array>, md5: string): AsyncGenerator<Uint8Array> {
  const sum = createHash('md5')
  for await (const chunk of source) {
    sum.update(chunk)
    yield chunk
  }
  if (sum.digest('base64') !== md5) throw badRequest('[x-actions-results-md5]: the bytes do not have this MD5')
}
