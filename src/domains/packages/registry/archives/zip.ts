import { errors } from '../../../errors.ts'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { badRequest, isDomainError } from '../../../../core/platform/errors.ts'
import type { PackageContents } from '../../packages/package-contents.service.ts'

/** Bytes of the store, by their SHA-256. */
interface StoredBytes {
  readonly sha256: string
  readonly size: number
}

interface ZipEntry {
  /** Relative, with slashes, without `..`; ends in a slash for a folder. */
  readonly name: string
  /** Bytes, uncompressed. */
  readonly size: number
}

export interface ZipReader {
  readonly entries: readonly ZipEntry[]
  /** The bytes of the entry with this name; undefined without one. Throws BadRequest if there are more than `max`. */
  read(name: string, max: number): Promise<Buffer | undefined>
}

const MAX_ENTRIES = 50_000
const MAX_NAMES = 8 * 1024 * 1024

/**
 * Reads the directory of a stored zip file, and entries of it by name. Only the directory and the entries that `use`
 * reads are fetched. Throws BadRequest for an invalid zip file or one with unsafe names, and what `use` throws.
 */
export async function readZip<T>(
  contents: PackageContents,
  file: StoredBytes,
  use: (zip: ZipReader) => Promise<T>,
): Promise<T> {
  const zip = await openZip(contents, file)
  try {
    const found = await listEntries(zip)
    return await use({
      entries: [...found.values()].map(({ fileName, uncompressedSize }) => ({
        name: fileName,
        size: uncompressedSize,
      })),
      async read(name, max) {
        const entry = found.get(name)
        return entry && readEntry(zip, entry, max)
      },
    })
  } catch (error) {
    throw invalidZip(error)
  } finally {
    zip.close()
  }
}

async function openZip(contents: PackageContents, file: StoredBytes): Promise<ZipFile> {
  try {
    return await fromRandomAccessReaderPromise(new StoredReader(contents, file), file.size, { autoClose: false })
  } catch (error) {
    throw invalidZip(error)
  }
}

/** Errors of the library are plain and those of zlib have codes `Z_…`; others are passed on. */
function invalidZip(error: unknown): unknown {
  if (!(error instanceof Error) || isDomainError(error)) return error
  const code = 'code' in error ? String(error.code) : 'Z_'
  return code.startsWith('Z_') ? badRequest(`the file is not a valid zip archive: ${error.message}`) : error
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  const found = new Map<string, Entry>()
  let names = 0
  if (zip.entryCount > MAX_ENTRIES) throw errors.archiveEntries(MAX_ENTRIES)
  for await (const entry of zip.eachEntry()) {
    names += entry.fileName.length
    if (names > MAX_NAMES) throw badRequest('the names in the archive are too long')
    if (found.has(entry.fileName)) throw badRequest(`the archive contains ${entry.fileName} twice`)
    found.set(entry.fileName, entry)
  }
  return found
}

async function readEntry(zip: ZipFile, entry: Entry, max: number): Promise<Buffer> {
  const tooLarge = errors.archivedFileTooLarge(entry.fileName, max)
  if (entry.uncompressedSize > max) throw tooLarge
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > max) throw tooLarge
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const BLOCK = 1024 * 1024

/**
 * Random access to stored bytes by whole blocks, of which the newest is kept: the directory of an archive is read in
 * many small pieces, one after the other.
 */
class StoredReader extends RandomAccessReader {
  readonly #contents: PackageContents
  readonly #file: StoredBytes
  #newest: { readonly index: number; readonly bytes: Promise<Buffer> } | undefined

  constructor(contents: PackageContents, file: StoredBytes) {
    super()
    this.#contents = contents
    this.#file = file
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#read(start, end))
  }

  async *#read(start: number, end: number): AsyncGenerator<Buffer> {
    if (end > this.#file.size) throw new Error('the file ends too early')
    for (let at = start; at < end;) {
      const index = Math.floor(at / BLOCK)
      const part = (await this.#block(index)).subarray(at - index * BLOCK, end - index * BLOCK)
      yield part
      at += part.length
    }
  }

  #block(index: number): Promise<Buffer> {
    if (this.#newest?.index !== index) {
      const range = { start: index * BLOCK, end: Math.min((index + 1) * BLOCK, this.#file.size) - 1 }
      this.#newest = { index, bytes: this.#contents.open(this.#file, range).then(buffer) }
    }
    return this.#newest.bytes
  }
}
