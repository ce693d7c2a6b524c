import { tooLarge } from '../../platform/errors.ts'
import type { S3Settings } from './settings.ts'
import type { S3Upload, S3Uploads } from './uploads.ts'

/** Parts of one upload that are sent at once; one more is being received. */
const AT_ONCE = 2

/**
 * Bytes of each part of an object: more than usual where the size is known and the parts would be too many. Throws
 * TooLarge for an object that has no room in the largest parts.
 */
export function partSize(
  { partBytes, maxPartBytes, maxParts }: Pick<S3Settings, 'maxPartBytes' | 'maxParts' | 'partBytes'>,
  size = 0,
): number {
  const needed = Math.ceil(size / maxParts)
  if (needed > maxPartBytes)
    throw tooLarge(`the upload is larger than ${maxPartBytes * maxParts} bytes, which an object of the bucket may have`)
  return Math.max(partBytes, needed)
}

/** The bytes in parts of equal size; the last one is shorter, and nothing comes of nothing. */
export async function* inParts(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Buffer, void, undefined> {
  let chunks: Uint8Array[] = []
  let filled = 0
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + size - filled)
      chunks.push(piece)
      filled += piece.length
      at += piece.length
      if (filled < size) continue
      yield Buffer.concat(chunks, filled)
      chunks = []
      filled = 0
    }
  }
  if (filled > 0) yield Buffer.concat(chunks, filled)
}

/** Sends parts while further ones come in; returns the tags to complete the upload with. */
export async function sendParts(s3: S3Uploads, upload: S3Upload, parts: AsyncIterable<Buffer>): Promise<string[]> {
  const tags: string[] = []
  const sending = new Set<Promise<void>>()
  const failures: unknown[] = []
  let number = 0
  try {
    for await (const part of parts) {
      const index = number++
      const sent: Promise<void> = s3
        .sendPart(upload, index + 1, part)
        .then(
          (tag) => void (tags[index] = tag),
          (error: unknown) => void failures.push(error),
        )
        .finally(() => sending.delete(sent))
      sending.add(sent)
      if (sending.size >= AT_ONCE) await Promise.race(sending)
      if (failures.length > 0) break
    }
  } finally {
    await Promise.all(sending)
  }
  if (failures.length > 0) throw failures[0]
  return tags
}
