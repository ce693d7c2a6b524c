import { join } from 'node:path'
import { KeyedMutex } from '../platform/concurrency/keyed-mutex.ts'
import type { SharedLocks } from '../platform/concurrency/lock-table.ts'
import type { Logger } from '../platform/logger.ts'
import type { BlobBackend } from './backend.ts'
import type { BlobStore } from './blob-store.ts'
import { createBlobStore } from './create-blob-store.ts'
import { createFileBackend } from './file-backend.ts'
import { createS3Backend } from './s3/backend.ts'
import { createS3Objects, type S3Objects } from './s3/objects.ts'
import type { S3Settings } from './s3/settings.ts'

export interface BlobStoresOptions {
  readonly kind: BlobBackend['kind']
  /** The bucket, where one is configured: also while `kind` is local, to migrate. */
  readonly s3: S3Settings | undefined
  /** Gives clients addresses of the object store. */
  readonly links: boolean
  /** Each store is a directory of it. */
  readonly directory: string
  /** The uploads in the directories that are deleted, see createFileBackend. */
  readonly emptyUploads: 'all' | 'old' | 'none'
  /** Of all processes; without them this is the only one. */
  readonly locks?: SharedLocks | undefined
  /** Told why requests to the bucket fail. */
  readonly log: Pick<Logger, 'warn'>
}

/** One store in both places. */
interface StorePlaces {
  readonly name: string
  readonly local: BlobBackend
  readonly s3: BlobBackend | undefined
}

/** The stores of all modules, each with rows of its own. */
export interface BlobStores {
  readonly kind: BlobBackend['kind']
  /** The bucket, where one is configured. */
  readonly bucket: { readonly objects: S3Objects; readonly prefix: string; readonly identity: string } | undefined
  /** Opens a store, once for each name: a directory, or a part of the keys. */
  open(name: string): Promise<BlobStore>
  /** Of the stores that were opened. */
  places(): readonly StorePlaces[]
  close(): void
}

/** Reads of blobs that the place of `kind` lacks ask the other one, where there is one: during a migration. */
export function createBlobStores(options: BlobStoresOptions): BlobStores {
  const { kind, s3: settings } = options
  const objects = settings && createS3Objects(settings, options.log)
  const opened: StorePlaces[] = []
  return {
    kind,
    bucket: objects && {
      objects,
      prefix: settings!.prefix,
      identity: `${settings!.endpoint} ${settings!.bucket} ${settings!.prefix}`,
    },
    async open(name) {
      const local = await createFileBackend(join(options.directory, name), options)
      const { links } = options
      const { temporary } = local
      const s3 = objects && createS3Backend({ s3: objects, settings: settings!, folder: `${name}/`, temporary, links })
      opened.push({ name, local, s3 })
      const locks = new KeyedMutex({ name: `blobs ${join(options.directory, name)}`, locks: options.locks })
      return kind === 's3' && s3 !== undefined
        ? createBlobStore({ primary: s3, other: local, locks })
        : createBlobStore({ primary: local, other: s3, locks })
    },
    places: () => opened,
    close: () => objects?.close(),
  }
}
