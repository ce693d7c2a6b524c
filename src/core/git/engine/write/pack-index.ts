import { createHash } from 'node:crypto'
import type { ObjectFormat } from '../object/format.ts'

/** Where a pack has an object. */
export interface IndexEntry {
  readonly oid: string
  /** Bytes before the entry; less than 2 GiB. */
  readonly offset: number
  /** CRC-32 of the entry's bytes. */
  readonly crc: number
}

const FANOUT = 256

/** The bytes of a version 2 index (gitformat-pack(5)) of the pack that has the checksum. */
export function serializePackIndex(format: ObjectFormat, entries: readonly IndexEntry[], packChecksum: Buffer): Buffer {
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
