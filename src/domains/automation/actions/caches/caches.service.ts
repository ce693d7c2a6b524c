import type { Core } from '../../../../core/module.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { badRequest, conflict, notFound } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import type { Upload } from '../artifacts/uploads/upload.store.ts'
import type { ReceivedFile, Uploads } from '../artifacts/uploads/uploads.service.ts'
import type { RunningTask } from '../runs/task-token.store.ts'
import type { StoredFiles } from '../stored-files.ts'
import {
  type Cache,
  deleteCaches,
  findCache,
  findCacheById,
  findCacheByPrefix,
  findCacheRun,
  insertCache,
  listCacheSizes,
  touchCache,
} from './cache.store.ts'
import { type CacheRefs, cacheRefsOf, requireCacheKey, requireCacheVersion } from './caches.policy.ts'

interface CacheDeps extends Pick<Core, 'database' | 'clock'> {
  readonly files: Pick<StoredFiles, 'release'>
  readonly uploads: Uploads
  /** Bytes of the caches of one repository. */
  readonly maxBytes: number
}

interface CacheLookup {
  readonly keys: readonly string[]
  readonly version: string | undefined
}

interface NewCache {
  readonly key: string | undefined
  readonly version: string | undefined
  /** The announced number of bytes. */
  readonly size?: number | undefined
}

const MAX_KEYS = 10
/** Caches of one repository. */
const MAX_CACHES = 5000
/** The time of the last use is written once in this time. */
const HOUR_MS = 3_600_000

export type Caches = ReturnType<typeof createCaches>

/** Files that jobs leave for jobs of later runs (behaviour/actions#artifact-protocols-and-cache). */
export function createCaches({ database, clock, files, uploads, maxBytes }: CacheDeps) {
  const { read } = database

  async function refsOf({ runId }: RunningTask): Promise<CacheRefs> {
    const run = await findCacheRun(read, runId)
    if (run === undefined) throw errors.runNotFound()
    return cacheRefsOf(run)
  }

  function requireSize(size: number): void {
    if (size > maxBytes) throw badRequest(`[size]: a cache has at most ${maxBytes} bytes`)
  }

  async function record(tx: Tx, upload: Upload, ref: string, { hash, size }: ReceivedFile): Promise<number> {
    requireSize(size)
    const at = clock.now()
    const { repoId, name: key, variant: version } = upload
    const id = await insertCache(tx, { repo_id: repoId, ref, version, key, hash, size, used_at: at, created_at: at })
    if (id === undefined) throw cacheExists()
    let [bytes, count] = [0, 0]
    const beyond = (await listCacheSizes(tx, repoId)).filter((cache) => {
      bytes += cache.size
      count++
      return (bytes > maxBytes || count > MAX_CACHES) && cache.id !== id
    })
    await files.release(
      tx,
      await deleteCaches(
        tx,
        beyond.map((cache) => cache.id),
      ),
    )
    return id
  }

  async function finish(task: RunningTask, upload: Upload, size: number | undefined): Promise<number> {
    const [own] = await refsOf(task)
    return uploads.finish(upload, { size }, (tx, file) => record(tx, upload, own, file))
  }

  return {
    /**
     * The cache of the first key in the run's own ref, else one whose key begins with it, then of the next keys, then
     * the same in the base and the default branch. Throws BadRequest.
     */
    async find(task: RunningTask, { keys, version: given }: CacheLookup): Promise<Cache | undefined> {
      if (keys.length > MAX_KEYS) throw badRequest(`[keys]: at most ${MAX_KEYS}`)
      const version = requireCacheVersion(given)
      const wanted = keys.map((key) => requireCacheKey(key))
      for (const ref of await refsOf(task))
        for (const key of wanted) {
          const found = await findCacheByPrefix(read, { repoId: task.repoId, ref, version, key })
          if (found === undefined) continue
          const now = clock.now()
          if (found.usedAt < now - HOUR_MS) await database.transaction((tx) => touchCache(tx, found.id, now))
          return found
        }
      return undefined
    },

    /** Throws NotFound. */
    async get(id: number): Promise<Cache> {
      const found = await findCacheById(read, id)
      if (found === undefined) throw notFound('there is no such cache')
      return found
    },

    /** Begins the upload of a cache. Throws Conflict when the ref has it, BadRequest, and QuotaExceeded. */
    async begin(task: RunningTask, { key: givenKey, version: givenVersion, size = 0 }: NewCache): Promise<Upload> {
      const [key, version] = [requireCacheKey(givenKey), requireCacheVersion(givenVersion)]
      requireSize(size)
      const { repoId, id: taskId } = task
      const [ref] = await refsOf(task)
      if ((await findCache(read, { repoId, ref, version, key })) !== undefined) throw cacheExists()
      return uploads.begin({ repoId, taskId, kind: 'cache', name: key, variant: version })
    },

    /** The upload that the task began. Throws NotFound. */
    async getUpload(task: RunningTask, id: number): Promise<Upload> {
      const upload = await uploads.get(id)
      if (upload.taskId !== task.id || upload.kind !== 'cache') throw notFound('the job has no such upload')
      return upload
    },

    /** Completes an upload; returns the id of the cache. Throws BadRequest, and Conflict when the ref has it. */
    finish,

    /** Like `finish`, but finds the cache by its name. Throws NotFound. */
    async finishNamed(task: RunningTask, { key, version, size }: NewCache): Promise<number> {
      const name = requireCacheKey(key)
      const upload = await uploads.find({
        repoId: task.repoId,
        taskId: task.id,
        kind: 'cache',
        name,
        variant: requireCacheVersion(version),
      })
      if (upload === undefined) throw notFound('[key]: no upload of this key was begun')
      return finish(task, upload, size)
    },
  }
}

const cacheExists = () => conflict('the cache exists already')
