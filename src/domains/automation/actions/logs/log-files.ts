import { pipeline, Readable } from 'node:stream'
import { createZstdDecompress } from 'node:zlib'
import type { BlobStore } from '../../../../core/blobs/index.ts'
import type { Db } from '../../../../core/db/database.ts'
import { notFound } from '../../../../core/platform/errors.ts'
import type { ByteRange } from '../../../../core/platform/http/media-type.ts'
import { readLogLines, type Task } from '../runs/task.store.ts'

interface LogSources {
  readonly read: Db
  readonly blobs: Pick<BlobStore, 'open'>
}

/** The text of a log, or a range of it, as it was when the task was read. Throws NotFound when its blob is missing. */
export async function openLog(sources: LogSources, task: Task, range?: ByteRange): Promise<Readable> {
  const whole = task.logHash === '' ? linesOf(sources.read, task.id) : await openSealed(sources.blobs, task)
  // NOTE: lines may be added while they are sent.
  return Readable.from(within(whole, range ?? { start: 0, end: task.logTextSize - 1 }), { objectMode: false })
}

async function* linesOf(read: Db, taskId: number): AsyncGenerator<Buffer> {
  for await (const text of readLogLines(read, taskId)) yield Buffer.from(text)
}

async function openSealed(blobs: LogSources['blobs'], { logHash, logEncoding }: Task): Promise<Readable> {
  const blob = await blobs.open(logHash)
  if (blob === undefined) throw notFound('the bytes of the log are missing')
  return logEncoding === 'zstd' ? pipeline(blob, createZstdDecompress(), () => {}) : blob
}

async function* within(source: AsyncIterable<Buffer>, { start, end }: ByteRange): AsyncGenerator<Buffer> {
  let at = 0
  for await (const chunk of source) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
    if (part.length > 0) yield part
    at += chunk.length
    if (at > end) return
  }
}
