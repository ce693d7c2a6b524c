import { join } from 'node:path'
import { type BlobStore, blobsCheck, LINK_LIFETIME } from '../../../core/blobs/index.ts'
import { parseDuration } from '../../../core/platform/duration.ts'
import { defineModule } from '../../../core/module.ts'
import { listLfsUsesAfter } from './objects/lfs-use.store.ts'
import { createLfsLocks } from './locks/lfs-locks.service.ts'
import { createLfsObjects, type LfsObjects } from './objects/lfs-objects.service.ts'
import { createLfsTokens, type LfsTokens, loadLfsKey } from './lfs-tokens.service.ts'
import { createLfsJobs, lfsTasks } from './lfs.jobs.ts'
import { registerLfs } from './lfs.routes.ts'
import type { Subscriptions } from '../../../core/events/index.ts'
import type { Jobs } from '../../../core/jobs/index.ts'

declare module '../../../core/module.ts' {
  interface Services {
    /** The bytes of large files. */
    readonly lfsBlobs: BlobStore
    readonly lfsObjects: LfsObjects
    readonly lfsTokens: LfsTokens
  }
  interface Tuning {
    readonly lfs: Partial<typeof LIMITS>
  }
}

const LIMITS = {
  /** The maximum number of objects in a batch request. */
  maxBatchSize: 1000,
  /** The maximum number of locks in a response. */
  locksPerPage: 50,
}

/**
 * Large files of repositories (Git LFS). They have their own blob store, so that each store reads all rows that name
 * its blobs.
 */
export const module = defineModule({
  name: 'lfs',
  needs: ['authenticate', 'branchWriters', 'keyLogins', 'keyTargets', 'quota', 'repos'],
  async create(
    { config, database, clock, jobs, site, dataDir, blobs: stores, tuning },
    { authenticate, branchWriters, keyLogins, keyTargets, quota, repos },
  ) {
    const { lfs, service, storage } = config
    const lifetimeMs = requireDuration(lfs.http_auth_expiry)
    const blobs = await stores.open('lfs')
    const objects = createLfsObjects({ database, blobs, clock, quota, maxFileSize: lfs.max_file_size })
    const locks = createLfsLocks({ database, clock })
    const tokens = createLfsTokens({ key: await loadLfsKey(join(dataDir, 'lfs.key')), clock, lifetimeMs })
    return {
      services: { lfsBlobs: blobs, lfsObjects: objects, lfsTokens: tokens },
      jobs: createLfsJobs(objects),
      tasks: lfsTasks(jobs),
      subscriptions: lfsSubscriptions(jobs),
      checks: [blobsCheck(database.read, blobs, { 'large file': listLfsUsesAfter })],
      routes(http) {
        if (!lfs.enabled) return
        registerLfs(http, {
          authenticate,
          keyLogins,
          keyTargets,
          repos,
          objects,
          locks,
          tokens,
          requireSignIn: service.require_signin_view,
          branchWriters,
          ...LIMITS,
          ...tuning.lfs,
          redirectLifetime: storage.redirect ? LINK_LIFETIME : undefined,
          rootUrl: site.rootUrl,
        })
      },
    }
  },
})

function requireDuration(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds === undefined || milliseconds <= 0)
    throw new Error(`lfs.http_auth_expiry: invalid duration "${text}"`)
  return milliseconds
}

/** A sweep checks all large files: one run covers many deletions. */
const SWEEP_DELAY_MS = 60_000

/** Deletes the large files that lost their last repository. */
function lfsSubscriptions(jobs: Jobs): Subscriptions {
  return { 'repo.deleted': (tx) => jobs.enqueue(tx, 'lfs.sweep', {}, { delay: SWEEP_DELAY_MS, key: 'all' }) }
}
