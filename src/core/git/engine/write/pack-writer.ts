import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, crc32, deflate, deflateSync } from 'node:zlib'
import { createPauses } from '../../../platform/concurrency/pauses.ts'
import { syncDirectory, writeSynced } from '../../../platform/files/durable.ts'
import type { ObjectFormat, ObjectType } from '../object/format.ts'
import type { NewObject } from './loose-writer.ts'

/** The location of an object in a pack. */
interface IndexEntry {
  readonly oid: string
  /** Offset of the entry; less than 2 GiB. */
  readonly offset: number
  /** CRC-32 of the entry's bytes. */
  readonly crc: number
}

const FANOUT = 256

/** The bytes of a version 2 index (gitformat-pack(5)) for the pack with this checksum. */
function serializePackIndex(format: ObjectFormat, entries: readonly IndexEntry[], packChecksum: Buffer): Buffer {
  const sorted = entries.toSorted((a, b) => (a.oid < b.oid ? -1 : 1))
  const head = Buffer.from('\xfftOc\0\0\0\x02', 'latin1')
  const fanout = Buffer.alloc(FANOUT * 4)
  const crcs = Buffer.alloc(sorted.length * 4)
  const offsets = Buffer.alloc(sorted.length * 4)
  const counts = new Uint32Array(FANOUT)
  for (const [index, { oid, crc, offset }] of sorted.entries()) {
    counts[Number.parseInt(oid.slice(0, 2), 16)]!++
    crcs.writeUInt32BE(crc, index * 4)
    offsets.writeUInt32BE(offset, index * 4)
  }
  let total = 0
  for (const [byte, count] of counts.entries()) fanout.writeUInt32BE((total += count), byte * 4)
  const oids = Buffer.from(sorted.map(({ oid }) => oid).join(''), 'hex')
  const body = Buffer.concat([head, fanout, oids, crcs, offsets, packChecksum])
  return Buffer.concat([body, createHash(format).update(body).digest()])
}

const deflateAsync = promisify(deflate)

/** The type numbers of gitformat-pack(5). */
const TYPE = { commit: 1, tree: 2, blob: 3, tag: 4 } as const
/** Objects compressed at once; other work needs the threads too. */
const MAX_CONCURRENT_DEFLATES = 4
/** Up to this size, compressing inline takes less time than another thread takes to start. */
const MAX_INLINE_BYTES = 4096
const LEVEL = { level: constants.Z_BEST_SPEED }
/**
 * Compression adds at most this to small inputs. NOTE: zlib allocates 16 KiB for each result without a given size: 16
 * MB for 1,000 small files, freed late.
 */
const MAX_ADDED_BYTES = 64
const MAX_BUFFERED_BYTES = 1024 * 1024

/**
 * Writes the objects as one pack without deltas, with its index, below the objects directory; durable when this
 * returns. Syncs three times, whatever the number of objects. The objects must total at most 2 GiB, because the index
 * has no 64-bit offsets. A killed process leaves `tmp_pack_*` files, which maintenance deletes.
 */
export async function writePack(directory: string, format: ObjectFormat, objects: readonly NewObject[]): Promise<void> {
  const folder = join(directory, 'pack')
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `tmp_pack_${randomBytes(6).toString('hex')}`)
  const temporaryIndex = `${temporary}_idx`
  try {
    const { entries, checksum } = await writePackFile(temporary, format, objects)
    await writeSynced(temporaryIndex, serializePackIndex(format, entries, checksum), 0o444)
    const name = join(folder, `pack-${checksum.toString('hex')}`)
    // NOTE: the index makes a pack visible, so it is renamed last.
    await rename(temporary, `${name}.pack`)
    await rename(temporaryIndex, `${name}.idx`)
    await syncDirectory(folder)
  } catch (error) {
    await Promise.all([temporary, temporaryIndex].map((path) => rm(path, { force: true })))
    throw error
  }
}

interface PackFile {
  readonly entries: readonly IndexEntry[]
  readonly checksum: Buffer
}

async function writePackFile(path: string, format: ObjectFormat, objects: readonly NewObject[]): Promise<PackFile> {
  const handle = await open(path, 'wx', 0o444)
  try {
    const out = createHashedFile(handle, format)
    const entries: IndexEntry[] = []
    const pause = createPauses()
    await out.write(packHeader(objects.length))
    for (let at = 0; at < objects.length; at += MAX_CONCURRENT_DEFLATES) {
      const part = objects.slice(at, at + MAX_CONCURRENT_DEFLATES)
      const packed = await Promise.all(part.map(packEntry))
      await pause()
      for (const [index, data] of packed.entries()) {
        entries.push({ oid: part[index]!.oid, offset: out.size, crc: crc32(data) })
        await out.write(data)
      }
    }
    const checksum = await out.end()
    await handle.sync()
    return { entries, checksum }
  } finally {
    await handle.close()
  }
}

function packHeader(count: number): Buffer {
  const header = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  header.writeUInt32BE(count, 8)
  return header
}

async function packEntry({ type, content }: NewObject): Promise<Buffer> {
  const data =
    content.length <= MAX_INLINE_BYTES
      ? deflateSync(content, { ...LEVEL, chunkSize: content.length + MAX_ADDED_BYTES })
      : await deflateAsync(content, LEVEL)
  return Buffer.concat([entryHeader(type, content.length), data])
}

/** Type and size: four bits of the size in the first byte, seven in each further byte. */
function entryHeader(type: ObjectType, size: number): Buffer {
  const bytes = [(TYPE[type] << 4) | (size & 0x0f)]
  for (let rest = Math.floor(size / 16); rest > 0; rest = Math.floor(rest / 128)) {
    bytes[bytes.length - 1]! |= 0x80
    bytes.push(rest & 0x7f)
  }
  return Buffer.from(bytes)
}

interface HashedFile {
  /** Bytes written so far. */
  readonly size: number
  write(data: Buffer): Promise<void>
  /** Writes the checksum of everything before it and returns it. */
  end(): Promise<Buffer>
}

/** Buffers small writes into larger ones. */
function createHashedFile(handle: FileHandle, format: ObjectFormat): HashedFile {
  const hash = createHash(format)
  let size = 0
  let buffered: Buffer[] = []
  let bufferedBytes = 0
  async function flush(): Promise<void> {
    const data = Buffer.concat(buffered, bufferedBytes)
    buffered = []
    bufferedBytes = 0
    hash.update(data)
    await handle.writeFile(data)
  }
  return {
    get size() {
      return size
    },
    async write(data) {
      size += data.length
      buffered.push(data)
      bufferedBytes += data.length
      if (bufferedBytes >= MAX_BUFFERED_BYTES) await flush()
    },
    async end() {
      await flush()
      const checksum = hash.digest()
      await handle.writeFile(checksum)
      return checksum
    },
  }
}
