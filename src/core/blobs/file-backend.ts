import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomHex } from '../platform/crypto/crypto.ts'
import { ifMissing } from '../platform/files/missing.ts'
import { removeTree, replaceDurably, syncDirectory } from '../platform/files/durable.ts'
import { type BlobBackend, createBlobStore, isBlobHash, type BlobStore } from './blob-store.ts'
import { checkSource, writeStream } from './receive.ts'
import { KeyedMutex, type SharedLocks } from '../platform/concurrency/lock-table.ts'
import type { Logger } from '../platform/logger.ts'
import { createS3Backend } from './s3/backend.ts'
import { createS3Objects, type S3Objects } from './s3/objects.ts'
import type { S3Settings } from './s3/client.ts'

export interface FileBackend extends BlobBackend {
  /** Path of a new temporary file; the caller deletes it; otherwise the next start of the server does. */
  temporary(): string
}

/**
 * Blobs as files under one directory: `ab/cd/<hash>`, and `tmp/` for uploads under way. Unfinished uploads of a crashed
 * process are deleted here: `all`, or only `old` ones while servers on other machines may run; `none` in a command that
 * runs while the server does.
 */
export async function createFileBackend(
  directory: string,
  { emptyUploads = 'all' }: { readonly emptyUploads?: 'all' | 'old' | 'none' } = {},
): Promise<FileBackend> {
  const uploads = join(directory, 'tmp')
  if (emptyUploads === 'all') await removeTree(uploads)
  await mkdir(uploads, { recursive: true })
  if (emptyUploads === 'old') await deleteOldUploads(uploads)
  const pathOf = (hash: string): string => join(directory, hash.slice(0, 2), hash.slice(2, 4), hash)
  const temporary = (): string => join(uploads, randomHex(16))

  return {
    kind: 'local',
    temporary,
    async receive(source, limits) {
      const path = temporary()
      const discard = (): Promise<void> => rm(path, { force: true })
      try {
        const checked = checkSource(source, limits)
        await writeStream(path, checked.bytes)
        const blob = checked.finish()
        const target = pathOf(blob.hash)
        const commit = async (): Promise<void> => {
          await makeDurably(dirname(target), directory)
          await replaceDurably(path, target)
        }
        return { ...blob, commit, discard }
      } catch (error) {
        await discard()
        throw error
      }
    },
    size: async (hash) => (await stat(pathOf(hash)).catch(ifMissing(undefined)))?.size,
    async open(hash, range) {
      const handle = await open(pathOf(hash), 'r').catch(ifMissing(undefined))
      return handle?.createReadStream({
        highWaterMark: READ_BYTES,
        ...(range && { start: range.start }),
        ...(range?.end !== undefined && { end: range.end }),
      })
    },
    async feed(hash, sum) {
      const handle = await open(pathOf(hash), 'r').catch(ifMissing(undefined))
      if (handle === undefined) return false
      try {
        // NOTE: one buffer for all bytes: V8 would collect those of a stream by marking its whole heap.
        const buffer = Buffer.allocUnsafeSlow(FEED_BYTES)
        for (let length = 1; length > 0;) {
          length = (await handle.read(buffer)).bytesRead
          sum.update(buffer.subarray(0, length))
        }
        return true
      } finally {
        await handle.close()
      }
    },
    remove: (hash) => rm(pathOf(hash), { force: true }),
    async *list(after = '') {
      for await (const { name, path } of walk(directory, after)) {
        const found = await stat(path).catch(ifMissing(undefined))
        if (found) yield { hash: name, size: found.size, putAt: found.mtimeMs }
      }
    },
  }
}

/** Few reads of large files, but less than the 128 KiB from which glibc maps each buffer separately (`ingot.js`). */
const READ_BYTES = 120 * 1024
const FEED_BYTES = 1024 * 1024

const SHARD = /^[0-9a-f]{2}$/

/** The files in the order of their names, those behind `after`; one directory at a time. */
async function* walk(directory: string, after: string): AsyncGenerator<{ name: string; path: string }> {
  for (const first of await namesIn(directory, SHARD)) {
    if (first < after.slice(0, 2)) continue
    for (const second of await namesIn(join(directory, first), SHARD)) {
      if (`${first}${second}` < after.slice(0, 4)) continue
      const folder = join(directory, first, second)
      for (const name of await namesIn(folder)) if (name > after) yield { name, path: join(folder, name) }
    }
  }
}

async function namesIn(directory: string, shape?: RegExp): Promise<string[]> {
  const names = await readdir(directory).catch(ifMissing([]))
  return names.filter((name) => (shape === undefined ? isBlobHash(name) : shape.test(name))).toSorted()
}

/** Creates the directory and syncs each parent up to `root`, whose entries may be new. */
async function makeDurably(path: string, root: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let parent = dirname(path); parent.startsWith(root); parent = dirname(parent)) await syncDirectory(parent)
}

/** No upload takes that long. NOTE: times of files may be those of another machine's clock. */
const OLD_UPLOAD_MS = 48 * 60 * 60_000

async function deleteOldUploads(uploads: string): Promise<void> {
  for (const name of await readdir(uploads)) {
    const path = join(uploads, name)
    const found = await stat(path).catch(ifMissing(undefined))
    if (found !== undefined && found.mtimeMs < performance.timeOrigin + performance.now() - OLD_UPLOAD_MS)
      await rm(path, { force: true })
  }
}

export interface BlobStoresOptions {
  readonly kind: BlobBackend['kind']
  /** The bucket, where one is configured: also while `kind` is local, to migrate. */
  readonly s3: S3Settings | undefined
  /** Whether clients get addresses of the object store. */
  readonly links: boolean
  /** Each store is a directory of it. */
  readonly directory: string
  /** The uploads in the directories that are deleted, see createFileBackend. */
  readonly emptyUploads: 'all' | 'old' | 'none'
  /** Locks shared by all processes; undefined if this is the only process. */
  readonly locks?: SharedLocks | undefined
  /** Receives the reasons why requests to the bucket fail. */
  readonly log: Pick<Logger, 'warn'>
}

/** One store in both backends. */
interface StoreBackends {
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
  /** The backends of the stores that were opened. */
  backends(): readonly StoreBackends[]
  close(): void
}

/** Reads of blobs that the backend of `kind` lacks ask the other one, where there is one: during a migration. */
export function createBlobStores(options: BlobStoresOptions): BlobStores {
  const { kind, s3: settings } = options
  const objects = settings && createS3Objects(settings, options.log)
  const opened: StoreBackends[] = []
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
    backends: () => opened,
    close: () => objects?.close(),
  }
}
