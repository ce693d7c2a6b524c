import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { type BlobStore, createFileBlobs } from '../blobs/index.ts'
import type { Config } from '../config/index.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../platform/clock.ts'
import { removeTree, replaceDurably, writeSynced } from '../platform/durable.ts'
import { parseDuration } from '../platform/duration.ts'
import type { Site } from '../platform/site.ts'
import { createMedia, type Media } from '../subjects/contents/media.ts'
import { createLfsLocks, type LfsLocks } from '../subjects/lfs/lfs-locks.service.ts'
import { createLfsObjects, type LfsObjects } from '../subjects/lfs/lfs-objects.service.ts'
import { createLfsTokens, type LfsTokens } from '../subjects/lfs/lfs-tokens.ts'
import { registerLfs } from '../subjects/lfs/lfs.routes.ts'
import type { DiskQuota } from '../subjects/quota/disk-quota.ts'
import type { Repos } from '../subjects/repos/repos.service.ts'
import type { Authenticate } from '../subjects/sign-in/authenticate.ts'
import type { KeyLogins } from '../subjects/sign-in/key-logins.ts'

export interface LfsServices {
  readonly lfsObjects: LfsObjects
  readonly lfsBlobs: BlobStore
  readonly media: Media
  readonly lfsLocks: LfsLocks
  readonly lfsTokens: LfsTokens
}

interface LfsParts {
  readonly config: Config
  readonly database: Database
  readonly clock: Clock
  readonly quota: DiskQuota
  readonly dataDir: string
  /** False in a command that may run beside the server. */
  readonly isServer: boolean
}

const KEY_BYTES = 32

/**
 * Large files in `blobs/lfs/` of the data directory; they have a store of their own, so that each store knows all rows
 * that name its blobs.
 */
export async function createLfsServices({
  config,
  database,
  clock,
  quota,
  dataDir,
  isServer,
}: LfsParts): Promise<LfsServices> {
  const { http_auth_expiry: expiry, max_file_size: maxFileSize } = config.lfs
  const lifetimeMs = parseDuration(expiry)
  if (lifetimeMs === undefined || lifetimeMs <= 0) throw new Error(`lfs.http_auth_expiry: invalid duration "${expiry}"`)
  const blobs = await createFileBlobs(join(dataDir, 'blobs', 'lfs'), { emptyUploads: isServer })
  const lfsObjects = createLfsObjects({ database, blobs, clock, quota, maxFileSize })
  return {
    lfsObjects,
    lfsBlobs: blobs,
    media: createMedia(lfsObjects),
    lfsLocks: createLfsLocks({ database, clock }),
    lfsTokens: createLfsTokens({ key: await loadKey(join(dataDir, 'lfs.key')), clock, lifetimeMs }),
  }
}

async function loadKey(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const key = randomBytes(KEY_BYTES).toString('hex')
  await removeTree(`${path}.new`)
  await writeSynced(`${path}.new`, key, 0o600)
  await replaceDurably(`${path}.new`, path)
  return key
}

export interface LfsDoorParts extends LfsServices {
  readonly config: Config
  readonly authenticate: Authenticate
  readonly keyLogins: KeyLogins
  readonly repos: Repos
  readonly site: Site
}

/** Git LFS over HTTP, unless the configuration turns it off. */
export function openLfs(
  http: FastifyInstance,
  { config, lfsObjects, lfsLocks, lfsTokens, site, ...parts }: LfsDoorParts,
): void {
  if (!config.lfs.enabled) return
  registerLfs(http, {
    authenticate: parts.authenticate,
    keyLogins: parts.keyLogins,
    repos: parts.repos,
    objects: lfsObjects,
    locks: lfsLocks,
    tokens: lfsTokens,
    requireSignIn: config.service.require_signin_view,
    maxBatchSize: config.lfs.max_batch_size,
    locksPerPage: config.lfs.locks_paging_num,
    rootUrl: site.rootUrl,
  })
}
