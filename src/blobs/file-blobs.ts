import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomHex } from '../platform/crypto/crypto.ts'
import { removeTree, replaceDurably, syncDirectory } from '../platform/files/durable.ts'
import { invalid, tooLarge } from '../platform/errors.ts'
import { KeyedMutex } from '../platform/concurrency/keyed-mutex.ts'
import { type BlobLimits, type BlobStore, isBlobHash, type StoredBlob } from './blob-store.ts'
import type { SharedLocks } from '../platform/concurrency/lock-table.ts'

interface FileBlobsOptions {
  readonly emptyUploads?: boolean
  /** Of all processes; without them this is the only one. */
  readonly locks?: SharedLocks | undefined
}

/**
 * Blobs as files under one directory: `ab/cd/<hash>`, and `tmp/` for uploads under way. The uploads that a
 * crash left are deleted here, unless `emptyUploads` is false: a command beside the server must not delete its uploads.
 */
export async function createFileBlobs(
  directory: string,
  { emptyUploads = true, locks: shared }: FileBlobsOptions = {},
): Promise<BlobStore> {
  const uploads = join(directory, 'tmp')
  if (emptyUploads) await removeTree(uploads)
  await mkdir(uploads, { recursive: true })
  const locks = new KeyedMutex({ name: `blobs ${directory}`, locks: shared })
  const holds: Holds = new Map()
  const pathOf = (hash: string): string => join(directory, hash.slice(0, 2), hash.slice(2, 4), hash)

  const store: BlobStore = {
    async put(source, limits = {}, record) {
      const temporary = join(uploads, randomHex(16))
      try {
        const blob = await receive(source, temporary, limits)
        const path = pathOf(blob.hash)
        await locks.run(blob.hash, async () => {
          const isNew = (await sizeOf(path)) === undefined
          await makeDurably(dirname(path), directory)
          await replaceDurably(temporary, path)
          try {
            await record?.(blob)
          } catch (error) {
            if (isNew) await rm(path, { force: true })
            throw error
          }
        })
        return blob
      } finally {
        await rm(temporary, { force: true })
      }
    },

    claim: (hash, record) =>
      locks.run(hash, async () => {
        if (!isBlobHash(hash) || (await sizeOf(pathOf(hash))) === undefined) return false
        await record()
        return true
      }),

    size: async (hash) => (isBlobHash(hash) ? sizeOf(pathOf(hash)) : undefined),

    async open(hash, range) {
      if (!isBlobHash(hash)) return undefined
      const handle = await open(pathOf(hash), 'r').catch(missing)
      return handle?.createReadStream({
        ...(range && { start: range.start }),
        ...(range?.end !== undefined && { end: range.end }),
      })
    },

    async delete(hash, inUse) {
      if (!isBlobHash(hash)) return
      await locks.run(hash, async () => {
        if (!holds.has(hash) && !(await inUse?.())) await rm(pathOf(hash), { force: true })
      })
    },

    hold: () => createHold(store, holds),

    async *list() {
      for (const file of await readdir(directory, { recursive: true, withFileTypes: true })) {
        if (!file.isFile() || !isBlobHash(file.name)) continue
        const found = await stat(join(file.parentPath, file.name)).catch(missing)
        if (found) yield { hash: file.name, size: found.size, putAt: found.mtimeMs }
      }
    },
  }
  return store
}

/** Hash → the number of holds on the blob. */
type Holds = Map<string, number>

function createHold(store: BlobStore, holds: Holds): ReturnType<BlobStore['hold']> {
  const own = new Set<string>()
  return {
    put: (source, limits) =>
      store.put(source, limits, async ({ hash }) => {
        if (!own.has(hash)) holds.set(hash, (holds.get(hash) ?? 0) + 1)
        own.add(hash)
      }),
    async release(inUse) {
      for (const hash of own) {
        const others = holds.get(hash)! - 1
        if (others > 0) holds.set(hash, others)
        else holds.delete(hash)
        own.delete(hash)
        await store.delete(hash, () => inUse(hash))
      }
    },
  }
}

async function receive(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  path: string,
  { maxBytes = Infinity, expected }: BlobLimits,
): Promise<StoredBlob> {
  const hash = createHash('sha256')
  let size = 0
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw tooLarge(`the upload is larger than ${maxBytes} bytes`)
      hash.update(chunk)
      await writeAll(handle, chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  const blob = { hash: hash.digest('hex'), size }
  if (expected?.size !== undefined && expected.size !== size)
    throw invalid(`the upload has ${size} bytes, announced were ${expected.size}`)
  if (expected?.hash !== undefined && expected.hash !== blob.hash)
    throw invalid('the upload does not have the announced SHA-256')
  return blob
}

/** A single write may be short. */
async function writeAll(handle: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length;) done += (await handle.write(chunk, done)).bytesWritten
}

/** Makes the directory and syncs each parent up to `root`, whose entries may be new. */
async function makeDurably(path: string, root: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let parent = dirname(path); parent.startsWith(root); parent = dirname(parent)) await syncDirectory(parent)
}

const sizeOf = async (path: string): Promise<number | undefined> => (await stat(path).catch(missing))?.size

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
  return undefined
}
