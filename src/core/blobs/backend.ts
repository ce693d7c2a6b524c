import type { Readable } from 'node:stream'
import type { BlobLimits, BlobLink, BlobRange, ListedBlob, StoredBlob } from './blob-store.ts'

export type BlobSource = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Bytes that were received and checked but that nobody can read yet. */
export interface StagedBlob extends StoredBlob {
  /** Makes them readable by their hash; durable when it resolves. */
  commit(): Promise<void>
  /** Deletes what is left of the upload; called in any case, after `commit` too. */
  discard(): Promise<void>
}

/** A place where blobs are kept. It knows neither rows nor locks: `createBlobStore` adds them. */
export interface BlobBackend {
  readonly kind: 'local' | 's3'
  /** Takes the source in. Throws TooLarge and Invalid as BlobLimits says, Unavailable when the place is away. */
  receive(source: BlobSource, limits: BlobLimits): Promise<StagedBlob>
  /** As BlobStore.size, for a hash. */
  size(hash: string): Promise<number | undefined>
  /** As BlobStore.open, for a hash. */
  open(hash: string, range?: BlobRange): Promise<Readable | undefined>
  /** Nothing happens for a blob that is gone. */
  remove(hash: string): Promise<void>
  /** Sorted by hash; those behind `after`. */
  list(after?: string): AsyncIterable<ListedBlob>
  /** As BlobStore.link. */
  link?(hash: string, as: BlobLink): Promise<string | undefined>
}
