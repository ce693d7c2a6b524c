import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { constants, createZstdCompress } from 'node:zlib'
import type { HeldDatabase } from '../../../db/dialect/dialect.ts'
import type { Place } from '../places/place.ts'
import { seal } from '../sealed-file.ts'
import { pagesOfSnapshot, type SnapshotHeader, snapshotName } from './layout.ts'

const QUICK = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

interface Snapshot extends Pick<SnapshotHeader, 'number' | 'previous' | 'time'> {
  readonly series: string
  readonly held: HeldDatabase
}

/** Copies the database and then the header that makes the snapshot one. Releases the database in any case. */
export async function storeSnapshot(place: Place, { series, held, number, previous, time }: Snapshot): Promise<void> {
  const name = snapshotName(series, number, time)
  const sum = createHash('sha256')
  try {
    const source = Readable.from(held.read())
    const compressing = createZstdCompress(QUICK)
    source.on('data', (chunk: Buffer) => sum.update(chunk)).on('error', (error) => compressing.destroy(error))
    await place.putStream(pagesOfSnapshot(name), source.pipe(compressing))
  } finally {
    held.release()
  }
  const header: SnapshotHeader = { format: 1, number, previous, time, size: held.size, sha256: sum.digest('hex') }
  await place.put(name, seal(header).data)
}
