import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import xz from 'xz-decompress'

const XZ = Buffer.from([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00])
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const GZIP = Buffer.from([0x1f, 0x8b])

/** The bytes without compression by gzip, zstd or xz. Throws if there are more than `max`. Call it in a task only. */
export async function decompress(bytes: Uint8Array, max: number): Promise<Buffer> {
  const starts = (magic: Buffer): boolean => magic.equals(bytes.subarray(0, magic.length))
  if (starts(GZIP)) return gunzipSync(bytes, { maxOutputLength: max })
  if (starts(ZSTD)) return zstdDecompressSync(bytes, { maxOutputLength: max })
  if (!starts(XZ)) return Buffer.from(bytes)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of new xz.XzReadableStream(new Blob([Buffer.from(bytes)]).stream())) {
    size += chunk.length
    if (size > max) throw new Error(`more than ${max} bytes`)
    // NOTE: the library writes the next chunk into the same memory.
    chunks.push(Uint8Array.from(chunk))
  }
  return Buffer.concat(chunks)
}
