import { join } from 'node:path'
import { eachAtOnce } from '../platform/concurrency/each-at-once.ts'
import type { Copied } from '../platform/files/copy-tree.ts'
import type { BlobBackend } from './backend.ts'
import type { ListedBlob } from './blob-store.ts'
import type { BlobStores } from './blob-stores.ts'
import { createFileBackend } from './file-backend.ts'

/** Blobs that are copied at once, and those of a batch. */
const AT_ONCE = 8
const BATCH = 64

/**
 * Copies all blobs of the bucket that the directory lacks into it, in the layout of local blobs: for a backup, which a
 * server reads them from. Throws Unavailable while the bucket is away and for damaged objects.
 */
export async function copyBlobsTo(
  stores: BlobStores,
  directory: string,
  progress?: (what: string) => void,
): Promise<Copied> {
  const copied = { files: 0, bytes: 0 }
  for (const { name, s3 } of stores.places()) {
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
export async function eachBlob(
  place: BlobBackend,
  signal: AbortSignal,
  work: (blob: ListedBlob) => Promise<void>,
  ended?: (hash: string, count: number) => Promise<void>,
): Promise<void> {
  for await (const batch of batches(place.list())) {
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

/** False for a blob that is gone. Throws Invalid when the bytes do not have the hash. */
export async function copyBlob(
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
