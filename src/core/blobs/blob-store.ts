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
  /** What the sender announced; another content is refused with `invalid` and leaves nothing behind. */
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

/** What a direct link to a blob says of it. */
/** Seconds for which an address of the object store is valid. */
export const LINK_LIFETIME = 900

export interface BlobLink {
  readonly contentType?: string
  readonly contentDisposition?: string
}

/** Blobs that no row names yet, kept from deletion: for work that takes long and writes its rows in the end. */
interface BlobHold {
  /** As BlobStore.put, without a row. */
  put(source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, limits?: BlobLimits): Promise<StoredBlob>
  /** Lets go of all; those for which `inUse` says false are deleted. A crash before leaves them to the sweeps. */
  release(inUse: (hash: string) => Promise<boolean>): Promise<void>
}

/**
 * Content-addressed storage of uploaded bytes; the same content is kept once, however often it is put. Everything
 * throws Unavailable while an object store that has to be asked is away.
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
   * Runs `record`, which writes another row that names the blob, under the blob's lock; false, and nothing is run, when
   * it is not there.
   */
  claim(hash: string, record: () => Promise<void>): Promise<boolean>
  /** Size in bytes, undefined for a blob that is not there (or a text that is no hash). */
  size(hash: string): Promise<number | undefined>
  /**
   * A stream of the bytes, all or a range inside them; undefined for a blob that is not there. The file is closed when
   * the stream ends or is destroyed.
   */
  open(hash: string, range?: BlobRange): Promise<Readable | undefined>
  /**
   * An address of the object store where anyone who has it can read the blob for `LINK_LIFETIME`: only for
   * callers who were admitted. Undefined where the blob is to be read through the server.
   */
  link(hash: string, as: BlobLink): Promise<string | undefined>
  /**
   * Under the blob's lock; asks `inUse` first, because another row may name the same content. Nothing happens for a
   * blob that is gone.
   */
  delete(hash: string, inUse?: () => Promise<boolean>): Promise<void>
  hold(): BlobHold
  /**
   * Every blob, in no order: for sweeps of what no row names. During a migration a blob that both places have comes
   * twice.
   */
  list(): AsyncIterable<ListedBlob>
}

const HASH = /^[0-9a-f]{64}$/

export const isBlobHash = (text: string): boolean => HASH.test(text)
