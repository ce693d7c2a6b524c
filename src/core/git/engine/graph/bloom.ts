import type { Filter } from './graph-layer.ts'

/** Where a path is looked for in a changed-path filter: the two hashes that all positions are made of. */
interface Hashes {
  readonly first: number
  readonly step: number
}

const SEED_FIRST = 0x293ae76f
const SEED_STEP = 0x7e646e2c

/** The hashes of one path, by version of the filters. */
export class PathKey {
  readonly #hashes: readonly (readonly Hashes[])[]

  /** `path` without slashes at its ends. */
  constructor(path: Buffer) {
    const unsigned = hashesOf(path, (byte) => byte)
    // NOTE: version 1 hashed bytes as C's `char`, whose sign depends on the machine that wrote the file: a path with
    // bytes above 127 may be there when either of the two is.
    const signed = path.some((byte) => byte > 127) ? [hashesOf(path, (byte) => (byte << 24) >> 24)] : []
    this.#hashes = [[], [unsigned, ...signed], [unsigned]]
  }

  /** False when the commit certainly did not change the path, against its first parent. */
  mayBeIn(filter: Filter): boolean {
    for (const hashes of this.#hashes[filter.version]!) if (isIn(filter, hashes)) return true
    return false
  }
}

function isIn({ data, start, end, hashes }: Filter, { first, step }: Hashes): boolean {
  const bits = (end - start) * 8
  for (let index = 0; index < hashes; index++) {
    const bit = ((first + Math.imul(index, step)) >>> 0) % bits
    if ((data[start + (bit >>> 3)]! & (1 << (bit & 7))) === 0) return false
  }
  return true
}

/** Keys of a path and of every directory above it: all of them are in the filter of a commit that changes the path. */
export function keysOf(path: Buffer): PathKey[] {
  const keys = [new PathKey(path)]
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
    keys.push(new PathKey(path.subarray(0, slash)))
  return keys
}

/** False when the filter excludes one of them. */
export function mayContainAll(filter: Filter, keys: readonly PathKey[]): boolean {
  for (const key of keys) if (!key.mayBeIn(filter)) return false
  return true
}

type Widen = (byte: number) => number

const hashesOf = (path: Buffer, widen: Widen): Hashes => ({
  first: murmur3(path, SEED_FIRST, widen),
  step: murmur3(path, SEED_STEP, widen),
})

const C1 = 0xcc9e2d51
const C2 = 0x1b873593

const rotate = (value: number, by: number): number => (value << by) | (value >>> (32 - by))
const scramble = (block: number): number => Math.imul(rotate(Math.imul(block, C1), 15), C2)

/** MurmurHash3 of 32 bits; `widen` makes a 32-bit number of a byte. */
export function murmur3(data: Buffer, seed: number, widen: Widen): number {
  const blocks = data.length & ~3
  let hash = seed
  for (let at = 0; at < blocks; at += 4) {
    const block =
      widen(data[at]!) | (widen(data[at + 1]!) << 8) | (widen(data[at + 2]!) << 16) | (widen(data[at + 3]!) << 24)
    hash = (Math.imul(rotate(hash ^ scramble(block), 13), 5) + 0xe6546b64) | 0
  }
  let rest = 0
  for (let at = data.length - 1; at >= blocks; at--) rest ^= widen(data[at]!) << ((at - blocks) * 8)
  if (data.length > blocks) hash ^= scramble(rest)
  hash ^= data.length
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
