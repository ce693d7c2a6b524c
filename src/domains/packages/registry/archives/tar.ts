import { errors } from '../../../errors.ts'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { extract, type Header } from 'tar-stream'
import { badRequest, isDomainError } from '../../../../core/platform/errors.ts'

export interface TarEntry {
  readonly name: string
  readonly type: Header['type']
  readonly size: number
  /** The content. Throws BadRequest if it has more than `max` bytes. Called before the visit of the entry ends. */
  read(max: number): Promise<Buffer>
}

export interface TarLimits {
  /** Maximum size of the archive without compression. */
  readonly maxBytes: number
  readonly maxEntries: number
}

/** Maximum size of the headers of one entry (long names among them), in bytes. */
const MAX_HEADERS = 1024 * 1024
/** An archive may grow to this much, and to this many times its own size, whatever its limit is. */
const SMALL_ARCHIVE = 64 * 1024 * 1024
const MAX_GROWTH = 200

/**
 * Reads a tar archive, compressed by gzip, zstd or not at all, entry by entry, until `visit` returns false. Throws
 * BadRequest for an invalid archive or one that exceeds the limits.
 */
export async function readTar(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, maxEntries }: TarLimits,
  visit: (entry: TarEntry) => Promise<boolean>,
): Promise<void> {
  const { head, rest } = await peek(source)
  const tar = extract()
  let unread = 0
  let received = 0
  let total = 0
  const counted = new Transform({
    transform(chunk: Buffer, _, done) {
      unread += chunk.length
      total += chunk.length
      if (total > maxBytes) done(badRequest(`the archive has more than ${maxBytes} bytes without compression`))
      else if (total > SMALL_ARCHIVE && total > received * MAX_GROWTH)
        done(badRequest(`the archive grows to more than ${MAX_GROWTH} times its size`))
      // NOTE: the library gathers headers in memory, whatever size they declare.
      else if (unread > MAX_HEADERS) done(badRequest('the archive has headers that are too long'))
      else done(null, chunk)
    },
  })
  const decompress = decompressor(head)
  const sent = Readable.from(rest).on('data', (chunk: Uint8Array) => (received += chunk.length))
  const fed = pipeline([sent, ...(decompress === undefined ? [] : [decompress]), counted, tar])
  // NOTE: an error of the source ends the iteration below, which reports it.
  fed.catch(() => undefined)
  let entries = 0
  try {
    for await (const entry of tar) {
      unread = 0
      if (++entries > maxEntries) throw errors.archiveEntries(maxEntries)
      const { name, type, size } = entry.header
      const read = async (max: number): Promise<Buffer> => {
        if (size > max) throw errors.archivedFileTooLarge(name, max)
        const chunks: Buffer[] = []
        for await (const chunk of entry as AsyncIterable<Buffer>) {
          unread = 0
          chunks.push(chunk)
        }
        return Buffer.concat(chunks)
      }
      if (!(await visit({ name, type, size, read }))) break
      entry.on('data', () => (unread = 0))
    }
  } catch (error) {
    if (isDomainError(error)) throw error
    throw badRequest(`the archive cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function decompressor(head: Buffer) {
  if (head.subarray(0, 2).equals(Buffer.of(0x1f, 0x8b))) return createGunzip()
  if (head.subarray(0, 4).equals(Buffer.of(0x28, 0xb5, 0x2f, 0xfd))) return createZstdDecompress()
  return undefined
}

/** The first bytes of a source, and all of them again. */
async function peek(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Buffer; readonly rest: AsyncIterable<Uint8Array> }> {
  const iterator = source[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let size = 0
  while (size < 6) {
    const { value, done } = await iterator.next()
    if (done === true) break
    first.push(value)
    size += value.length
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    yield* first
    yield* { [Symbol.asyncIterator]: () => iterator }
  }
  return { head: Buffer.concat(first), rest: rest() }
}
