import { randomHex } from '../platform/crypto/crypto.ts'
import { isDomainError } from '../platform/errors.ts'
import type { BlobStores } from './file-backend.ts'

/** Older uploads are leftovers of a crash. */
const MAX_UPLOAD_AGE_MS = 48 * 60 * 60_000

/** Aborts the multipart uploads that were abandoned; returns how many there were. */
export async function abortOldUploads({ bucket }: BlobStores, now: number): Promise<number> {
  let aborted = 0
  for await (const upload of oldUploads(bucket, now)) {
    await bucket!.objects.abort(upload)
    aborted++
  }
  return aborted
}

async function* oldUploads(bucket: BlobStores['bucket'], now: number) {
  if (bucket === undefined) return
  for await (const upload of bucket.objects.listUploads(bucket.prefix))
    if (upload.begunAt < now - MAX_UPLOAD_AGE_MS) yield upload
}

export interface StorageState {
  /** Why the bucket cannot be used, in the words of the library; undefined when it can or none is configured. */
  readonly failure: string | undefined
  /** Blobs in the backend that receives no new ones. */
  readonly elsewhere: number
  /** Multipart uploads that were abandoned. */
  readonly oldUploads: number
}

/** Tries the bucket, with a small object of its own unless `quick`, and counts what a migration would move. */
export async function inspectStorage(
  stores: BlobStores,
  { now, quick }: { readonly now: number; readonly quick: boolean },
): Promise<StorageState> {
  const state = { failure: undefined as string | undefined, elsewhere: 0, oldUploads: 0 }
  if (stores.bucket === undefined) return state
  try {
    await tryBucket(stores.bucket, quick)
    for await (const _ of oldUploads(stores.bucket, now)) state.oldUploads++
    for (const { local, s3 } of stores.backends())
      for await (const _ of (stores.kind === 's3' ? local : s3!).list()) state.elsewhere++
  } catch (error) {
    if (!isDomainError(error, 'unavailable')) throw error
    state.failure = describe(error.cause)
  }
  return state
}

async function tryBucket({ objects, prefix }: NonNullable<BlobStores['bucket']>, quick: boolean): Promise<void> {
  await objects.check()
  if (quick) return
  const key = `${prefix}doctor-${randomHex(8)}`
  await objects.put(key, Buffer.from('ingot doctor'))
  await objects.size(key)
  await objects.remove(key)
}

/** Errors of the library say little in their message when the answer had no body. */
function describe(cause: unknown): string {
  const {
    name = '',
    message = '',
    $metadata,
  } = (cause ?? {}) as {
    name?: string
    message?: string
    $metadata?: { httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode
  return [status === undefined ? '' : `HTTP ${status}`, name, message].filter(Boolean).join(' ')
}
