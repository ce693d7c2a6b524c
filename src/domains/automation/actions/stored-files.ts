import type { Core } from '../../../core/module.ts'
import type { BlobStore } from '../../../core/blobs/index.ts'
import type { Tx } from '../../../core/db/database.ts'
import { expireCaches } from './caches/cache.store.ts'
import { deleteBlockList, isBlockList, listUnusedBlockLists } from './stored-blocks/stored-block.store.ts'
import { deleteBlocks, deleteUpload, listOldUploads } from './artifacts/uploads/upload.store.ts'
import {
  deleteUnconfirmed,
  expireArtifacts,
  expireLogs,
  isStoredFileUsed,
  listHashesOfRun,
} from './stored-file.store.ts'

interface StoredFilesDeps extends Pick<Core, 'database' | 'clock' | 'jobs'> {
  readonly blobs: BlobStore
  /** How long logs are retained. */
  readonly logRetentionMs: number
  /** How long caches are retained that no job uses. */
  readonly cacheRetentionMs: number
}

/** Hashes per job, and rows per transaction. */
const BATCH = 200

/** Uploads that nobody continued for this long are deleted. */
const UPLOAD_AGE_MS = 24 * 60 * 60_000

export type StoredFiles = ReturnType<typeof createStoredFiles>

/**
 * The bytes of logs and artifacts; deleted after they expire or when no row refers to them
 * (behaviour/actions#housekeeping).
 */
export function createStoredFiles(deps: StoredFilesDeps) {
  const { database, blobs, clock, jobs, logRetentionMs, cacheRetentionMs } = deps
  const isUsed = (hash: string): Promise<boolean> => isStoredFileUsed(database.read, hash)

  /** Enqueues a job that deletes the blobs after commit if no row refers to them. */
  async function release(tx: Tx, hashes: readonly string[]): Promise<void> {
    for (let at = 0; at < hashes.length; at += BATCH)
      await jobs.enqueue(tx, 'actions.release', { hashes: hashes.slice(at, at + BATCH) })
  }

  /** Repeats a step that handles at most `BATCH` rows, each time in its own transaction, until none are left. */
  async function inBatches(
    signal: AbortSignal,
    step: (tx: Tx) => Promise<{ readonly count: number; readonly hashes: readonly string[] }>,
  ): Promise<void> {
    for (let size = BATCH; size === BATCH;) {
      signal.throwIfAborted()
      size = await database.transaction(async (tx) => {
        const { count, hashes } = await step(tx)
        await release(tx, hashes)
        return count
      })
    }
  }

  /** Deletes a list of blocks unless a row names it; nothing else begins to name it. */
  const deleteUnusedList = (name: string): Promise<void> =>
    database.transaction(async (tx) => {
      if (!(await isStoredFileUsed(tx, name))) await release(tx, await deleteBlockList(tx, name))
    })

  async function deleteOldUploads(before: number, signal: AbortSignal): Promise<void> {
    for (let size = BATCH; size === BATCH;) {
      const ids = await listOldUploads(database.read, before, BATCH)
      size = ids.length
      for (const id of ids) {
        signal.throwIfAborted()
        await database.transaction(async (tx) => {
          await release(tx, await deleteBlocks(tx, id))
          await deleteUpload(tx, id)
        })
      }
    }
  }

  return {
    release,
    /** Call before deleting a run: a job deletes its blobs after commit. */
    releaseOfRun: async (tx: Tx, runId: number): Promise<void> => release(tx, await listHashesOfRun(tx, runId)),
    /** Deletes those of the blobs that no row refers to. */
    async deleteUnused(hashes: readonly string[], signal: AbortSignal): Promise<void> {
      for (const hash of hashes) {
        signal.throwIfAborted()
        if (isBlockList(hash)) await deleteUnusedList(hash)
        else await blobs.delete(hash, () => isUsed(hash))
      }
    },
    /** Deletes every blob that no row refers to, such as those of deleted repositories. */
    async sweep(signal: AbortSignal): Promise<void> {
      for (let size = BATCH; size === BATCH;) {
        const names = await listUnusedBlockLists(database.read, BATCH)
        size = names.length
        for (const name of names) {
          signal.throwIfAborted()
          await deleteUnusedList(name)
        }
      }
      for await (const { hash } of blobs.list()) {
        signal.throwIfAborted()
        if (!(await isUsed(hash))) await blobs.delete(hash, () => isUsed(hash))
      }
    },
    /** Expires artifacts, unused caches, logs of tasks that stopped long ago, and uploads that were abandoned. */
    async expire(signal: AbortSignal): Promise<void> {
      const now = clock.now()
      await deleteOldUploads(now - UPLOAD_AGE_MS, signal)
      await inBatches(signal, async (tx) => {
        const hashes = await deleteUnconfirmed(tx, { before: now - UPLOAD_AGE_MS, limit: BATCH })
        return { count: hashes.length, hashes }
      })
      await inBatches(signal, async (tx) => {
        const hashes = await expireArtifacts(tx, { now, limit: BATCH })
        return { count: hashes.length, hashes }
      })
      await inBatches(signal, async (tx) => {
        const hashes = await expireCaches(tx, { before: now - cacheRetentionMs, limit: BATCH })
        return { count: hashes.length, hashes }
      })
      await inBatches(signal, (tx) => expireLogs(tx, { before: now - logRetentionMs, limit: BATCH }))
    },
  }
}
