import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
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
        throw invalid(`the upload has ${size} bytes, announced were ${expected.size}`)
      if (expected?.hash !== undefined && expected.hash !== blob.hash)
        throw invalid('the upload does not have the announced SHA-256')
      return blob
    },
  }
}

/** Writes a new file and syncs it. */
export async function writeStream(path: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of bytes) await writeAll(handle, chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** A single write may be short. */
async function writeAll(handle: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let done = 0; done < chunk.length;) done += (await handle.write(chunk, done)).bytesWritten
}
