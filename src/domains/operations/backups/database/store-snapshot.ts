import { createHash, type Hash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import type { HeldDatabase } from '../../../../core/db/dialect/dialect.ts'
import type { Place } from '../places/place.ts'
import { seal } from '../sealed-file.ts'
import { QUICK } from '../zstd.ts'
import { pagesOfSnapshot, type SnapshotHeader, snapshotName } from './layout.ts'

/** Bytes that are compressed badly grow by less. */
const COMPRESSED = 1.01

interface Snapshot extends Pick<SnapshotHeader, 'number' | 'previous' | 'time'> {
  readonly series: string
  readonly held: HeldDatabase
}

async function* hashed(chunks: AsyncIterable<Buffer>, sum: Hash): AsyncGenerator<Buffer, void, undefined> {
  for await (const chunk of chunks) {
    sum.update(chunk)
    yield chunk
  }
}

/** Copies the database and then the header that makes the snapshot one. Releases the database in any case. */
export async function storeSnapshot(place: Place, { series, held, number, previous, time }: Snapshot): Promise<void> {
  const name = snapshotName(series, number, time)
  const sum = createHash('sha256')
  const compressing = createZstdCompress(QUICK)
  // NOTE: its errors reach the place as it reads; one that refuses before it reads handles none.
  compressing.on('error', () => undefined)
  const reading = pipeline(hashed(held.read(), sum), compressing).catch(() => undefined)
  try {
    await place.putStream(pagesOfSnapshot(name), compressing, held.size * COMPRESSED)
  } finally {
    compressing.destroy()
    await reading
    held.release()
  }
  const header: SnapshotHeader = { format: 1, number, previous, time, size: held.size, sha256: sum.digest('hex') }
  await place.put(name, seal(header).data)
}
