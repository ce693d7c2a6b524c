import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import {
  type BlobBackend,
  type BlobSource,
  type StagedBlob,
  type BlobLimits,
  isBlobHash,
  type StoredBlob,
  type BlobRange,
} from '../blob-store.ts'
import { type CheckedSource, checkSource, writeStream } from '../receive.ts'
import { asUnavailable, type S3Settings } from './client.ts'
import type { S3Objects, S3Body } from './objects.ts'
import { inParts, partSize, sendParts } from './uploads.ts'
import { createHash } from 'node:crypto'
import { PassThrough, pipeline, type Readable } from 'node:stream'

interface ReadOptions {
  readonly key: string
  readonly hash: string
  readonly range?: BlobRange | undefined
  /** A connection that receives no bytes for this many milliseconds counts as lost. */
  readonly timeoutMs: number
  /** Connections for one read, the first included. */
  readonly attempts: number
}

/**
 * The bytes of an object, undefined when it is not there. A connection that breaks is replaced by one for the rest. A
 * read of all bytes holds back the last ones until their SHA-256 is right, so that no reader takes damaged bytes for
 * the whole.
 */
async function readObject(s3: S3Objects, options: ReadOptions): Promise<Readable | undefined> {
  const ending = new AbortController()
  const first = await s3.get(options.key, options.range, ending.signal)
  if (first === undefined) return undefined
  if (options.range?.end !== undefined && first.size !== options.range.end - options.range.start + 1) {
    ending.abort()
    throw asUnavailable(new Error(`${options.key}: the answer to a range has ${first.size} bytes`))
  }
  const output = new PassThrough()
  output.once('close', () => ending.abort())
  const rest = bytesOf(s3, first, { ...options, signal: ending.signal })
  pipeline(options.range === undefined ? verified(rest, options.hash) : rest, output, () => undefined)
  return output
}

async function* bytesOf(
  s3: S3Objects,
  first: S3Body,
  { key, range, timeoutMs, attempts, signal }: ReadOptions & { readonly signal: AbortSignal },
): AsyncGenerator<Buffer, void, undefined> {
  const start = range?.start ?? 0
  const end = start + first.size
  let at = start
  for (let source: S3Body | undefined = first, left = attempts; ; left--) {
    if (source === undefined) throw asUnavailable(new Error(`${key} was deleted while it was read`))
    if (at + source.size !== end) throw asUnavailable(new Error(`${key}: the answer has ${source.size} bytes`))
    try {
      for await (const chunk of untilSilent(source.body, timeoutMs)) {
        at += chunk.length
        yield chunk
      }
      if (at < end) throw new Error(`${key}: the answer ended ${end - at} bytes too early`)
    } catch (error) {
      if (left <= 1 || signal.aborted || at > end) throw asUnavailable(error)
    }
    if (at === end) return
    source = await s3.get(key, { start: at, end: end - 1 }, signal)
  }
}

/** Waits for each chunk for at most that long; the time that the reader of the chunks takes does not count. */
async function* untilSilent(body: Readable, timeoutMs: number): AsyncGenerator<Buffer, void, undefined> {
  const wait = (): NodeJS.Timeout =>
    setTimeout(() => body.destroy(new Error('the next bytes did not come in time')), timeoutMs)
  let late = wait()
  try {
    for await (const chunk of body) {
      clearTimeout(late)
      yield chunk as Buffer
      late = wait()
    }
  } finally {
    clearTimeout(late)
    body.destroy()
  }
}

async function* verified(bytes: AsyncIterable<Buffer>, hash: string): AsyncGenerator<Buffer, void, undefined> {
  const sum = createHash('sha256')
  let last: Buffer | undefined
  for await (const chunk of bytes) {
    if (last !== undefined) yield last
    sum.update(chunk)
    last = chunk
  }
  if (sum.digest('hex') !== hash) throw asUnavailable(new Error(`the stored bytes of ${hash} have another SHA-256`))
  if (last !== undefined) yield last
}

export interface S3BackendDeps {
  readonly s3: S3Objects
  readonly settings: Pick<S3Settings, 'attempts' | 'maxPartBytes' | 'maxParts' | 'partBytes' | 'prefix' | 'timeoutMs'>
  /** Prefix of the hashes in the keys, with a trailing slash. */
  readonly folder: string
  /** Path for a file of received bytes. */
  temporary(): string
  /** Whether clients get addresses of the object store. */
  readonly links: boolean
}

/**
 * Blobs as objects `<prefix><folder><hash>`. Up to one part is kept in memory and sent at the commit. A longer blob is
 * uploaded in parts while it arrives if its hash is announced, otherwise through a temporary file; the object appears
 * at the commit.
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
    clientsUseLinks: links,
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
  /** Called after the last part. */
  finish(): StoredBlob
}

/** Sends the parts; a failure leaves no upload behind. */
async function stage(s3: S3Objects, { key, parts, finish }: Parts): Promise<StagedBlob> {
  const upload = await s3.begin(key)
  let isOpen = true
  const discard = async (): Promise<void> => {
    // The cleanup of old uploads aborts uploads that cannot be aborted now.
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

/** The key contains the hash, which is known only after the last byte. */
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
