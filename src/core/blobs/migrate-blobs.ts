import { readFile } from 'node:fs/promises'
import { invalid, isDomainError } from '../platform/errors.ts'
import { removeTree, replaceDurably, writeSynced } from '../platform/files/durable.ts'
import { members, parseJson } from '../platform/json-members.ts'
import type { BlobBackend, ListedBlob } from './blob-store.ts'
import { type BlobStores, createFileBackend } from './file-backend.ts'
import { isIntact } from './check-blobs.ts'
import { join } from 'node:path'
import { eachAtOnce } from '../platform/concurrency/each-at-once.ts'
import type { Copied } from '../platform/files/copy-tree.ts'

/** The number of blobs that are copied concurrently, and the number in a batch. */
const AT_ONCE = 8
const BATCH = 64

/**
 * Copies all blobs of the bucket that the directory lacks into it, in the layout of local blobs: for a backup, on which
 * a server can be started. Throws Unavailable while the bucket cannot be reached and for damaged objects.
 */
export async function copyBlobsTo(
  stores: BlobStores,
  directory: string,
  progress?: (what: string) => void,
): Promise<Copied> {
  const copied = { files: 0, bytes: 0 }
  for (const { name, s3 } of stores.backends()) {
    if (s3 === undefined) continue
    const target = await createFileBackend(join(directory, name), { emptyUploads: 'none' })
    await eachBlob(s3, new AbortController().signal, async (blob) => {
      if ((await target.size(blob.hash)) === blob.size || !(await copyBlob(s3, target, blob))) return
      progress?.(`${name}/${blob.hash}`)
      copied.files++
      copied.bytes += blob.size
    })
  }
  return copied
}

/** Works on a few blobs at once; `ended` is called with the last hash when all up to it are done. */
async function eachBlob(
  backend: BlobBackend,
  signal: AbortSignal,
  work: (blob: ListedBlob) => Promise<void>,
  ended?: (hash: string, count: number) => Promise<void>,
): Promise<void> {
  for await (const batch of batches(backend.list())) {
    await eachAtOnce(batch, { atOnce: AT_ONCE, signal }, work)
    await ended?.(batch.at(-1)!.hash, batch.length)
  }
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<T[], void, undefined> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** False for a missing blob. Throws Invalid when the bytes do not have the hash. */
async function copyBlob(
  from: BlobBackend,
  to: BlobBackend,
  { hash, size }: { readonly hash: string; readonly size: number },
): Promise<boolean> {
  const source = await from.open(hash)
  if (source === undefined) return false
  const staged = await to.receive(source, { expected: { hash, size } })
  try {
    await staged.commit()
  } finally {
    await staged.discard()
  }
  return true
}

export interface MigrationProgress {
  /** Number of blobs of the source that were examined. */
  readonly done: number
  readonly total: number
  readonly copied: number
  /** Bytes of the copied ones. */
  readonly bytes: number
  /** Blobs that were already there. */
  readonly present: number
  /** Blobs deleted from the source. */
  readonly deleted: number
  /** The blobs that could not be copied, as `store/hash: reason`. */
  readonly failures: readonly string[]
}

interface MigrationOptions {
  readonly to: BlobBackend['kind']
  /** Reads every copy again and compares its SHA-256. */
  readonly verify: boolean
  /** Deletes the blobs that the target has from the source. */
  readonly deleteSource: boolean
  /** The file that records how far an earlier run verified. */
  readonly stateFile: string
  readonly signal: AbortSignal
  progress?(progress: MigrationProgress): void
}

/**
 * Copies every blob of all stores to the other backend, in the order of stores and hashes, while the server may run.
 * A blob that the target has with the same size is not copied again, and not read again when an earlier run verified
 * it. Damaged blobs are reported and passed over. Throws Invalid without a configured bucket, Unavailable when it is
 * away: the next run continues.
 */
export async function migrateBlobs(stores: BlobStores, options: MigrationOptions): Promise<MigrationProgress> {
  if (stores.bucket === undefined) throw invalid('storage.bucket is not set: there is no bucket to migrate to or from')
  const state = await State.load(options.stateFile, `${options.to} ${stores.bucket.identity}`)
  const counts = { done: 0, total: 0, copied: 0, bytes: 0, present: 0, deleted: 0, failures: [] as string[] }
  const routes = stores
    .backends()
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, local, s3 }) =>
      options.to === 's3' ? { name, from: local, to: s3! } : { name, from: s3!, to: local },
    )
  for (const { from } of routes) for await (const _ of from.list()) counts.total++
  const { verify, deleteSource, signal } = options
  for (const { name, from, to } of routes) {
    const move = async (blob: ListedBlob): Promise<void> => {
      try {
        const verified = !verify || state.covers(name, blob.hash)
        await moveBlob({ from, to, verified, verify, deleteSource }, blob, counts)
      } catch (error) {
        if (!isDomainError(error, 'invalid') && !isDomainError(error, 'too-large')) throw error
        counts.failures.push(`${name}/${blob.hash}: ${error.message}`)
      }
    }
    await eachBlob(from, signal, move, async (hash, count) => {
      counts.done += count
      if (verify) await state.advance(name, hash)
      options.progress?.(counts)
    })
  }
  return counts
}

interface Move extends Pick<MigrationOptions, 'deleteSource' | 'verify'> {
  readonly from: BlobBackend
  readonly to: BlobBackend
  /** A copy of the right size needs not be read. */
  readonly verified: boolean
}

type Counts = { -readonly [Name in keyof MigrationProgress]: MigrationProgress[Name] }

async function moveBlob(move: Move, blob: ListedBlob, counts: Counts): Promise<void> {
  const { from, to } = move
  const isPresent = (await to.size(blob.hash)) === blob.size && (move.verified || (await isIntact(to, blob.hash)))
  if (isPresent) counts.present++
  else {
    if (!(await copyBlob(from, to, blob))) return
    if (move.verify && !(await isIntact(to, blob.hash))) {
      await to.remove(blob.hash)
      throw invalid('the copy did not have the bytes of the source and was deleted')
    }
    counts.copied++
    counts.bytes += blob.size
  }
  if (!move.deleteSource) return
  await from.remove(blob.hash)
  counts.deleted++
}

/** How far a migration to one target has verified: all blobs up to one of them. */
class State {
  readonly #file: string
  readonly #target: string
  #store: string
  #hash: string

  private constructor(file: string, target: string, { store, hash }: { store: string; hash: string }) {
    this.#file = file
    this.#target = target
    this.#store = store
    this.#hash = hash
  }

  /** The record of a migration to another target is ignored. */
  static async load(file: string, target: string): Promise<State> {
    const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return ''
    })
    const { target: known, store, hash } = members(parseJson(text)?.value)
    const isSame = known === target && typeof store === 'string' && typeof hash === 'string'
    return new State(file, target, isSame ? { store, hash } : { store: '', hash: '' })
  }

  covers(store: string, hash: string): boolean {
    return store < this.#store || (store === this.#store && hash <= this.#hash)
  }

  async advance(store: string, hash: string): Promise<void> {
    if (this.covers(store, hash)) return
    this.#store = store
    this.#hash = hash
    await removeTree(`${this.#file}.new`)
    await writeSynced(`${this.#file}.new`, JSON.stringify({ target: this.#target, store, hash }))
    await replaceDurably(`${this.#file}.new`, this.#file)
  }
}
