import { createHash } from 'node:crypto'
import { PassThrough, pipeline, type Readable } from 'node:stream'
import type { BlobRange } from '../blob-store.ts'
import { asUnavailable } from './client.ts'
import type { S3Body, S3Objects } from './objects.ts'

export interface ReadOptions {
  readonly key: string
  readonly hash: string
  readonly range?: BlobRange | undefined
  /** Without further bytes a connection counts as lost. */
  readonly timeoutMs: number
  /** Connections for one read, the first included. */
  readonly attempts: number
}

/**
 * The bytes of an object, undefined when it is not there. A connection that breaks is replaced by one for the rest. A
 * read of all bytes holds back the last ones until their SHA-256 is right, so that no reader takes damaged bytes for
 * the whole.
 */
export async function readObject(s3: S3Objects, options: ReadOptions): Promise<Readable | undefined> {
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
