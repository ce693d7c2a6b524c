import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { engineErrors, invalid } from '../platform/errors.ts'
import type { BlobSource, BlobLimits, StoredBlob } from './blob-store.ts'

/** The bytes of a source, counted and hashed as they pass. */
export interface CheckedSource {
  readonly bytes: AsyncIterable<Uint8Array>
  /** After the last byte. Throws Invalid when the bytes differ from the announced size or hash. */
  finish(): StoredBlob
}

/** `bytes` throws TooLarge as soon as there are more than allowed. */
export function checkSource(source: BlobSource, { maxBytes = Infinity, expected }: BlobLimits): CheckedSource {
  const hash = createHash('sha256')
  let size = 0
  async function* bytes(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      size += chunk.length
      if (size > maxBytes) throw engineErrors.uploadTooLarge(maxBytes)
      hash.update(chunk)
      yield chunk
    }
  }
  return {
    bytes: bytes(),
    finish() {
      const blob = { hash: hash.digest('hex'), size }
      if (expected?.size !== undefined && expected.size !== size)
        throw invalid(`the upload has ${size} bytes, expected ${expected.size}`)
      if (expected?.hash !== undefined && expected.hash !== blob.hash)
        throw invalid('the upload does not have the announced SHA-256')
      return blob
    },
  }
}

/** Bytes of chunks that wait for the write before them, and share the next one. */
const WRITE_BYTES = 1024 * 1024

/**
 * Writes a new file and syncs it; the next chunks are received and hashed at the same time. NOTE: `pipeline` fails while
 * the file may still be being opened, and it would appear after the caller has deleted it.
 */
export async function writeStream(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true, highWaterMark: WRITE_BYTES })
  const closed = new Promise<void>((resolve) => file.once('close', resolve))
  try {
    await pipeline(bytes, file)
  } finally {
    await closed
  }
}
