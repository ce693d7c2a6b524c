import { KeyedMutex } from '../platform/concurrency/lock-table.ts'
import { isDomainError } from '../platform/errors.ts'
import type { Hash } from 'node:crypto'
import type { Readable } from 'node:stream'

/** Bytes named by their SHA-256 in lower-case hex. */
export interface StoredBlob {
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

export interface BlobLimits {
  /** Bytes; a longer source is refused with `too-large` and leaves nothing behind. */
  readonly maxBytes?: number
  /** The size and hash that the sender announced; other content is refused with `invalid` and not stored. */
  readonly expected?: { readonly hash?: string; readonly size?: number }
}

/** Both ends included, as in HTTP; without `end` to the last byte. */
export interface BlobRange {
  readonly start: number
  readonly end?: number
}

export interface ListedBlob extends StoredBlob {
  /** When it was last put (epoch milliseconds). */
  readonly putAt: number
}

/** The response headers that a direct link to a blob sets. */
/** Seconds for which an address of the object store is valid. */
export const LINK_LIFETIME = 900

export interface BlobLink {
  readonly contentType?: string
  readonly contentDisposition?: string
}

/** Protects blobs that no row refers to yet from deletion: for long work that writes its rows at the end. */
interface BlobHold {
  /** Like BlobStore.put, without a row. */
  put(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, limits?: BlobLimits): Promise<StoredBlob>
  /** Ends the hold; blobs for which `inUse` returns false are deleted. After a crash the sweeps delete them. */
  release(inUse: (hash: string) => Promise<boolean>): Promise<void>
}

/**
 * Content-addressed storage of uploaded bytes; the same content is stored once, however often it is put. Everything
 * throws Unavailable while a required object store cannot be reached.
 */
export interface BlobStore {
  /**
   * Streams the source in; when this resolves the bytes and their name survive a power cut.
   * `record` writes the row that names the blob: it runs under the blob's lock, so that a `delete` of the same content
   * cannot come between. If it throws, a blob that is new is deleted again.
   */
  put(
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    limits?: BlobLimits,
    record?: (blob: StoredBlob) => Promise<void>,
  ): Promise<StoredBlob>
  /**
   * Runs `record`, which writes another row that refers to the blob, under the blob's lock. Returns false without
   * running it if the blob is missing.
   */
  claim(hash: string, record: () => Promise<void>): Promise<boolean>
  /** Size in bytes, undefined for a missing blob (or a text that is not a hash). */
  size(hash: string): Promise<number | undefined>
  /**
   * A stream of the bytes, all or a range inside them; undefined for a blob that is not there. The file is closed when
   * the stream ends or is destroyed.
   */
  open(hash: string, range?: BlobRange): Promise<Readable | undefined>
  /** Updates `sum` with the bytes of the blob; false for a missing blob. */
  feed(hash: string, sum: Hash): Promise<boolean>
  /**
   * An address of the object store where anyone who has it can read the blob for `LINK_LIFETIME`: only for authorized
   * callers. Undefined if the blob is to be read through the server.
   */
  link(hash: string, as: BlobLink): Promise<string | undefined>
  /** Whether clients are to read blobs by `link`. */
  readonly clientsUseLinks: boolean
  /**
   * Under the blob's lock; asks `inUse` first, because another row may name the same content. Nothing happens for a
   * missing blob.
   */
  delete(hash: string, inUse?: () => Promise<boolean>): Promise<void>
  hold(): BlobHold
  /**
   * Every blob, in no order: for sweeps of blobs to which no row refers. During a migration a blob that both backends
   * have is listed twice.
   */
  list(): AsyncIterable<ListedBlob>
}

const HASH = /^[0-9a-f]{64}$/

export const isBlobHash = (text: string): boolean => HASH.test(text)

export type BlobSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Bytes that were received and checked but that nobody can read yet. */
export interface StagedBlob extends StoredBlob {
  /** Makes the received bytes readable by their hash; they are durable when it resolves. */
  commit(): Promise<void>
  /** Deletes the remains of the upload; always called, also after `commit`. */
  discard(): Promise<void>
}

/** A backend that stores blobs. It has neither rows nor locks: `createBlobStore` adds them. */
export interface BlobBackend {
  readonly kind: 'local' | 's3'
  /**
   * Takes the source in. Throws TooLarge and Invalid as BlobLimits says, Unavailable when the backend cannot be
   * reached.
   */
  receive(source: BlobSource, limits: BlobLimits): Promise<StagedBlob>
  /** Like BlobStore.size, for a hash. */
  size(hash: string): Promise<number | undefined>
  /** Like BlobStore.open, for a hash. */
  open(hash: string, range?: BlobRange): Promise<Readable | undefined>
  /** Like BlobStore.feed; if absent, the bytes are read by `open`. */
  feed?(hash: string, sum: Hash): Promise<boolean>
  /** Does nothing for a missing blob. */
  remove(hash: string): Promise<void>
  /** Sorted by hash; those behind `after`. */
  list(after?: string): AsyncIterable<ListedBlob>
  readonly clientsUseLinks?: boolean
  /** Like BlobStore.link. */
  link?(hash: string, as: BlobLink): Promise<string | undefined>
}

/** The backends that store the blobs of one store. */
export interface BlobBackends {
  /** New blobs go here, and reads ask here first. */
  readonly primary: BlobBackend
  /** During a migration, the source: blobs that `primary` lacks are read from it. */
  readonly other?: BlobBackend | undefined
  /** Locks by hash, shared by all processes that use the backends; undefined if this is the only process. */
  readonly locks?: KeyedMutex
}

/** Adds locks by hash, holds and the deletion of unreferenced blobs to the backends. */
export function createBlobStore({ primary, other, locks = new KeyedMutex() }: BlobBackends): BlobStore {
  const holds: Holds = new Map()
  const find = createFinder({ primary, other })
  const size = (hash: string): Promise<number | undefined> => find((backend) => backend.size(hash))

  const store: BlobStore = {
    async put(source, limits = {}, record) {
      const staged = await primary.receive(source, limits)
      const blob = { hash: staged.hash, size: staged.size }
      try {
        await locks.run(blob.hash, async () => {
          const isNew = record !== undefined && (await primary.size(blob.hash)) === undefined
          await staged.commit()
          try {
            await record?.(blob)
          } catch (error) {
            // The sweep deletes blobs that cannot be deleted now.
            if (isNew) await primary.remove(blob.hash).catch(() => undefined)
            throw error
          }
        })
      } finally {
        await staged.discard()
      }
      return blob
    },
    claim: (hash, record) =>
      locks.run(hash, async () => {
        if (!isBlobHash(hash) || (await size(hash)) === undefined) return false
        await record()
        return true
      }),
    size: async (hash) => (isBlobHash(hash) ? size(hash) : undefined),
    open: async (hash, range) => (isBlobHash(hash) ? find((backend) => backend.open(hash, range)) : undefined),
    async feed(hash, sum) {
      if (primary.feed !== undefined && (await primary.feed(hash, sum))) return true
      const body = await store.open(hash)
      if (body === undefined) return false
      for await (const chunk of body) sum.update(chunk as Buffer)
      return true
    },
    link: async (hash, as) => (isBlobHash(hash) ? primary.link?.(hash, as) : undefined),
    clientsUseLinks: primary.clientsUseLinks === true,
    async delete(hash, inUse) {
      if (!isBlobHash(hash)) return
      await locks.run(hash, async () => {
        if (holds.has(hash) || (await inUse?.())) return
        await primary.remove(hash)
        await other?.remove(hash)
      })
    },
    hold: () => createHold(store, holds),
    async *list() {
      yield* primary.list()
      if (other !== undefined) yield* other.list()
    },
  }
  return store
}

type Ask<T> = (backend: BlobBackend) => Promise<T | undefined>

/** Reads from one backend after the other, also when the first is unavailable: equal hashes are equal bytes. */
function createFinder({ primary, other }: BlobBackends): <T>(ask: Ask<T>) => Promise<T | undefined> {
  return async (ask) => {
    if (other === undefined) return ask(primary)
    try {
      const found = await ask(primary)
      if (found !== undefined) return found
    } catch (error) {
      if (!isDomainError(error, 'unavailable')) throw error
      const found = await ask(other)
      if (found === undefined) throw error
      return found
    }
    // A migration may have moved the blob between the two questions.
    return (await ask(other)) ?? ask(primary)
  }
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

/** Deletes every blob that no row names. Checks `isUsed` again under the lock of the blob. */
export async function sweepBlobs(
  store: BlobStore,
  isUsed: (hash: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  for await (const { hash } of store.list()) {
    signal.throwIfAborted()
    if (!(await isUsed(hash))) await store.delete(hash, () => isUsed(hash))
  }
}
