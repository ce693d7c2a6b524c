import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  abortOldUploads,
  type BlobStores,
  createBlobStores,
  createS3Objects,
  inspectStorage,
  LINK_LIFETIME,
  migrateBlobs,
  type MigrationProgress,
  type S3Folder,
  type S3Settings,
} from '../core/blobs/index.ts'
import type { Config } from '../core/config/index.ts'
import type { Clock } from '../core/platform/clock.ts'
import { engineErrors, invalid } from '../core/platform/errors.ts'
import type { Logger } from '../core/platform/logger.ts'
import type { Core, DoctorCheck, Tuning } from '../core/module.ts'

/** 78 GiB in 10,000 parts, the maximum for an object of Amazon S3. */
const PART_BYTES = 8 * 1024 * 1024
/** 312 GiB; limits the memory of an upload of known size. */
const MAX_PART_BYTES = 32 * 1024 * 1024
const MAX_PARTS = 10_000

const REQUESTS = {
  /** Timeout for the start of a response, and between its chunks. */
  timeoutMs: 30_000,
  /** Attempts of a request before it fails, with growing pauses between them. */
  attempts: 4,
}

declare module '../core/module.ts' {
  interface Tuning {
    readonly storage: Partial<typeof REQUESTS>
  }
}

type StorageConfig = Config['storage']

/** Throws Invalid for inconsistent settings, which stops the start. Sends no requests yet. */
export const openBlobStores = (
  { storage }: Config,
  { dataDir, isServer, log, processes, tuning }: Pick<Core, 'dataDir' | 'isServer' | 'log' | 'processes' | 'tuning'>,
): BlobStores =>
  createBlobStores({
    kind: storage.kind,
    s3: s3Settings(storage, tuning.storage),
    links: storage.redirect,
    directory: join(dataDir, 'blobs'),
    emptyUploads: !isServer || !processes.isFirst ? 'none' : processes.acrossMachines ? 'old' : 'all',
    locks: processes.locks,
    log,
  })

/** Undefined if no bucket is configured. */
function s3Settings(storage: StorageConfig, requests: Tuning['storage'] = {}): S3Settings | undefined {
  if (storage.kind === 's3' && storage.bucket === '') throw invalid('storage.kind = "s3" needs storage.bucket')
  if (storage.bucket === '') return undefined
  return {
    bucket: storage.bucket,
    prefix: storage.prefix === '' || storage.prefix.endsWith('/') ? storage.prefix : `${storage.prefix}/`,
    region: storage.region,
    endpoint: storage.endpoint,
    publicEndpoint: storage.public_endpoint,
    pathStyle: storage.path_style,
    keys: keysOf(storage),
    ca: storage.ca_file === '' ? '' : readSetting(storage.ca_file),
    encryption: storage.encryption,
    kmsKey: storage.kms_key,
    ...REQUESTS,
    ...requests,
    partBytes: PART_BYTES,
    maxPartBytes: MAX_PART_BYTES,
    maxParts: MAX_PARTS,
    linkLifetime: LINK_LIFETIME,
  }
}

/** Whether the continuous backup checkpoints the log of SQLite, and nothing else may. */
export const keepsLog = ({ backup }: Pick<Config, 'backup'>): boolean => backup.kind !== 'off'

/** The bucket of `[backup]`; undefined for other destinations. Throws Invalid like openBlobStores. */
export function openBackupBucket(
  { backup, storage }: Config,
  log: Pick<Logger, 'warn'>,
  requests?: Tuning['storage'],
): S3Folder | undefined {
  if (backup.kind !== 's3') return undefined
  const bucket = backup.bucket === '' ? storage.bucket : backup.bucket
  if (bucket === '') throw invalid('backup.kind = "s3" needs backup.bucket or storage.bucket')
  const settings = s3Settings({ ...storage, bucket, prefix: backup.prefix }, requests)!
  return { objects: createS3Objects(settings, log), prefix: settings.prefix, label: `${bucket}/${settings.prefix}` }
}

function keysOf({ access_key: id, secret_key, secret_key_file: file }: StorageConfig): S3Settings['keys'] {
  if (secret_key !== '' && file !== '')
    throw invalid('storage.secret_key and storage.secret_key_file exclude each other')
  const secret = file === '' ? secret_key : readSetting(file).trimEnd()
  if ((id === '') !== (secret === ''))
    throw invalid('storage.access_key and storage.secret_key (or storage.secret_key_file) must be set together')
  return id === '' ? undefined : { id, secret }
}

function readSetting(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw engineErrors.settingsFileUnreadable(file, (error as Error).message)
  }
}

/** Like migrateBlobs, with its state in the data directory. */
export const migrateStoredFiles = (
  { blobs, dataDir }: Pick<Core, 'blobs' | 'dataDir'>,
  options: { readonly to: 'local' | 's3'; readonly verify: boolean; readonly deleteSource: boolean },
  progress: (progress: MigrationProgress) => void,
): Promise<MigrationProgress> =>
  migrateBlobs(blobs, {
    ...options,
    stateFile: join(dataDir, 'storage-migration.json'),
    signal: new AbortController().signal,
    progress,
  })

/** Tests access to the bucket and reports the remains of migrations and crashes. */
export const storageCheck = (stores: BlobStores, clock: Clock): DoctorCheck => ({
  name: 'storage',
  async *run({ fix, quick }) {
    const now = clock.now()
    const { failure, elsewhere, oldUploads } = await inspectStorage(stores, { now, quick })
    if (failure !== undefined) yield { what: `the bucket cannot be used: ${failure}`, state: 'problem' }
    if (elsewhere > 0)
      yield {
        what: `${elsewhere} files are ${stores.kind === 's3' ? 'in data_dir' : 'in the bucket'}: ingot storage migrate --to ${stores.kind} copies them, with --delete-source moves them`,
        state: 'note',
      }
    if (oldUploads > 0)
      yield fix
        ? { what: `aborted ${await abortOldUploads(stores, now)} unfinished uploads`, state: 'fixed' }
        : { what: `${oldUploads} uploads to the bucket are incomplete; the server aborts them daily`, state: 'note' }
  },
})
