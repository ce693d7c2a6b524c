import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { BlobBackend, BlobSource, StagedBlob } from '../backend.ts'
import { type BlobLimits, isBlobHash, type StoredBlob } from '../blob-store.ts'
import { type CheckedSource, checkSource, writeStream } from '../receive.ts'
import { asUnavailable } from './client.ts'
import type { S3Objects } from './objects.ts'
import { readObject } from './read.ts'
import type { S3Settings } from './settings.ts'
import { inParts, partSize, sendParts } from './parts.ts'

export interface S3BackendDeps {
  readonly s3: S3Objects
  readonly settings: Pick<S3Settings, 'attempts' | 'maxPartBytes' | 'maxParts' | 'partBytes' | 'prefix' | 'timeoutMs'>
  /** Before the hashes in the keys, with a slash at its end. */
  readonly folder: string
  /** Path for a file of received bytes. */
  temporary(): string
  /** Gives clients addresses of the object store. */
  readonly links: boolean
}

/**
 * Blobs as objects `<prefix><folder><hash>`. Up to one part is kept in memory and sent at the commit. What is
 * longer goes up in parts as it comes when its hash is announced, and through a temporary file when it is not; the
 * object appears at the commit.
 */
export function createS3Backend(deps: S3BackendDeps): BlobBackend {
  const { s3, settings, links } = deps
  const folder = `${settings.prefix}${deps.folder}`
  const keyOf = (hash: string): string => `${folder}${hash}`
  return {
    kind: 's3',
    receive: (source, limits) => receive({ ...deps, keyOf }, source, limits),
    size: (hash) => s3.size(keyOf(hash)),
    open: (hash, range) => readObject(s3, { ...settings, key: keyOf(hash), hash, range }),
    remove: (hash) => s3.remove(keyOf(hash)),
    async *list(after = '') {
      for await (const { key, size, modifiedAt } of s3.list(folder, keyOf(after))) {
        const hash = key.slice(folder.length)
        if (isBlobHash(hash)) yield { hash, size, putAt: modifiedAt }
      }
    },
    link: async (hash, as) =>
      links && (await s3.size(keyOf(hash))) !== undefined ? s3.link(keyOf(hash), as) : undefined,
  }
}

interface ReceiveDeps extends S3BackendDeps {
  keyOf(hash: string): string
}

async function receive(deps: ReceiveDeps, source: BlobSource, limits: BlobLimits): Promise<StagedBlob> {
  const { s3, keyOf } = deps
  const { expected } = limits
  const checked = checkSource(source, limits)
  const parts = inParts(checked.bytes, partSize(deps.settings, expected?.size))
  const first = (await parts.next()).value ?? Buffer.alloc(0)
  const second = (await parts.next()).value
  if (second === undefined) {
    const blob = checked.finish()
    return { ...blob, commit: () => s3.put(keyOf(blob.hash), first), discard: async () => undefined }
  }
  const all = following([first, second], parts)
  return expected?.hash !== undefined && isBlobHash(expected.hash)
    ? stage(s3, { key: keyOf(expected.hash), parts: all, finish: () => checked.finish() })
    : receiveByFile(deps, all, checked)
}

interface Parts {
  readonly key: string
  readonly parts: AsyncIterable<Buffer>
  /** After the last part. */
  finish(): StoredBlob
}

/** Sends the parts; a failure leaves no upload behind. */
async function stage(s3: S3Objects, { key, parts, finish }: Parts): Promise<StagedBlob> {
  const upload = await s3.begin(key)
  let isOpen = true
  const discard = async (): Promise<void> => {
    // What cannot be aborted now is left to the clean-up of old uploads.
    if (isOpen) await s3.abort(upload).catch(() => undefined)
    isOpen = false
  }
  try {
    const tags = await sendParts(s3, upload, parts)
    const blob = finish()
    return {
      ...blob,
      discard,
      async commit() {
        await s3.complete(upload, tags)
        isOpen = false
        const stored = await s3.size(key)
        if (stored === blob.size) return
        await s3.remove(key)
        throw asUnavailable(new Error(`${key} has ${stored} bytes after an upload of ${blob.size}`))
      },
    }
  } catch (error) {
    await discard()
    throw error
  }
}

/** The key is known when the last byte is there. */
async function receiveByFile(
  { s3, settings, keyOf, temporary }: ReceiveDeps,
  parts: AsyncIterable<Buffer>,
  checked: CheckedSource,
): Promise<StagedBlob> {
  const path = temporary()
  try {
    await writeStream(path, parts)
    const blob = checked.finish()
    const bytes: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 256 * 1024 })
    // Checked a second time, as the file could have been changed.
    const again = checkSource(bytes, { expected: blob })
    return await stage(s3, {
      key: keyOf(blob.hash),
      parts: inParts(again.bytes, partSize(settings, blob.size)),
      finish: () => again.finish(),
    })
  } finally {
    await rm(path, { force: true })
  }
}

async function* following<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield* first
  yield* rest
}
