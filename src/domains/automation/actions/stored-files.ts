import type { BlobStore } from '../../../core/blobs/index.ts'
import type { Database, Tx } from '../../../core/db/database.ts'
import type { Jobs } from '../../../core/jobs/index.ts'
import type { Clock } from '../../../core/platform/clock.ts'
import { expireArtifacts, expireLogs, isStoredFileUsed, listHashesOfRun } from './stored-file.store.ts'

/**
 * The bytes of logs and artifacts: deleted when no row has them and when they expire (behaviour/actions#housekeeping).
 */
export interface StoredFiles {
  /** Before a run is deleted: jobs delete its bytes after commit. */
  releaseOfRun(tx: Tx, runId: number): Promise<void>
  /** Bytes that no row may have any more: a job deletes them after commit. */
  release(tx: Tx, hashes: readonly string[]): Promise<void>
  /** Deletes those of the blobs that no row has. */
  deleteUnused(hashes: readonly string[], signal: AbortSignal): Promise<void>
  /** Deletes every blob that no row has, such as those of deleted repositories. */
  sweep(signal: AbortSignal): Promise<void>
  /** Artifacts whose time ended, and logs of tasks that stopped long ago. */
  expire(signal: AbortSignal): Promise<void>
}

interface StoredFilesDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly jobs: Jobs
  /** How long logs are kept. */
  readonly logRetentionMs: number
}

/** Hashes of one job, and rows of one transaction. */
const BATCH = 200

export function createStoredFiles({ database, blobs, clock, jobs, logRetentionMs }: StoredFilesDeps): StoredFiles {
  const isUsed = (hash: string): Promise<boolean> => isStoredFileUsed(database.read, hash)

  async function release(tx: Tx, hashes: readonly string[]): Promise<void> {
    for (let at = 0; at < hashes.length; at += BATCH)
      await jobs.enqueue(tx, 'actions.release', { hashes: hashes.slice(at, at + BATCH) })
  }

  return {
    release,
    releaseOfRun: async (tx, runId) => release(tx, await listHashesOfRun(tx, runId)),
    async deleteUnused(hashes, signal) {
      for (const hash of hashes) {
        signal.throwIfAborted()
        await blobs.delete(hash, () => isUsed(hash))
      }
    },
    async sweep(signal) {
      for await (const { hash } of blobs.list()) {
        signal.throwIfAborted()
        if (!(await isUsed(hash))) await blobs.delete(hash, () => isUsed(hash))
      }
    },
    async expire(signal) {
      const now = clock.now()
      for (let size = BATCH; size === BATCH;) {
        signal.throwIfAborted()
        size = await database.transaction(async (tx) => {
          const hashes = await expireArtifacts(tx, { now, limit: BATCH })
          await release(tx, hashes)
          return hashes.length
        })
      }
      for (let size = BATCH; size === BATCH;) {
        signal.throwIfAborted()
        size = await database.transaction(async (tx) => {
          const { count, hashes } = await expireLogs(tx, { before: now - logRetentionMs, limit: BATCH })
          await release(tx, hashes)
          return count
        })
      }
    },
  }
}
