import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BlobRange, BlobStore } from '../../../../core/blobs/index.ts'
import type { Core } from '../../../../core/module.ts'
import { errors } from '../../../errors.ts'
import { type Block, isBlockList, listStoredBlocks, type StoredBlock } from './stored-block.store.ts'

/** The bytes of artifacts and caches by the name that their row has: a blob, or a list of blocks. */
export type StoredBytes = Pick<BlobStore, 'link' | 'open'>

type OpenBlobs = Pick<BlobStore, 'open'>

export function createStoredBytes(
  { read }: Pick<Core['database'], 'read'>,
  blobs: Pick<BlobStore, 'link' | 'open'>,
): StoredBytes {
  return {
    async open(name, range) {
      if (!isBlockList(name)) return blobs.open(name, range)
      const blocks = await listStoredBlocks(read, name)
      return blocks.length === 0 ? undefined : Readable.from(bytesOf(blobs, blocks, range), { objectMode: false })
    },
    link: async (name, as) => (isBlockList(name) ? undefined : blobs.link(name, as)),
  }
}

async function* bytesOf(
  blobs: OpenBlobs,
  blocks: readonly StoredBlock[],
  { start, end = Infinity }: BlobRange = { start: 0 },
): AsyncGenerator<Uint8Array> {
  for (const { hash, position, size } of blocks) {
    if (position + size <= start || position > end) continue
    const part = { start: Math.max(0, start - position), end: Math.min(size - 1, end - position) }
    yield* await openBlock(blobs, hash, part)
  }
}

/** Throws NotFound when the bytes are missing. */
async function openBlock(blobs: OpenBlobs, hash: string, part?: BlobRange): Promise<AsyncIterable<Uint8Array>> {
  const body = await blobs.open(hash, part)
  if (body === undefined) throw errors.uploadLost()
  return body
}

/** The bytes of the blocks, one after the other. */
export async function* joinedBytes(blobs: OpenBlobs, blocks: readonly Block[]): AsyncGenerator<Uint8Array> {
  for (const { hash } of blocks) yield* await openBlock(blobs, hash)
}

/** SHA-256 of the bytes of the blocks, in lower-case hex. */
export async function sha256Of(blobs: Pick<BlobStore, 'feed'>, blocks: readonly Block[]): Promise<string> {
  const sum = createHash('sha256')
  for (const { hash } of blocks) if (!(await blobs.feed(hash, sum))) throw errors.uploadLost()
  return sum.digest('hex')
}
