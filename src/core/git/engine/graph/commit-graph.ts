import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Filter, filterOf, findInLayer, type GraphLayer, parseGraphLayer, readUint64 } from './graph-layer.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'

/** The two hashes from which all positions of a path in a changed-path filter are derived. */
interface Hashes {
  readonly first: number
  readonly step: number
}

const SEED_FIRST = 0x293ae76f
const SEED_STEP = 0x7e646e2c

/** The hashes of one path, for each filter version. */
export class PathKey {
  readonly #hashes: readonly (readonly Hashes[])[]

  /** `path` has no leading or trailing slash. */
  constructor(path: Buffer) {
    const unsigned = hashesOf(path, (byte) => byte)
    // NOTE: version 1 hashed bytes as C's `char`, whose sign depends on the machine that wrote the file: a path with
    // bytes above 127 may be there when either of the two is.
    const signed = path.some((byte) => byte > 127) ? [hashesOf(path, (byte) => (byte << 24) >> 24)] : []
    this.#hashes = [[], [unsigned, ...signed], [unsigned]]
  }

  /** False if the commit certainly did not change the path relative to its first parent. */
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

/**
 * Returns keys of a path and of all its parent directories: the filter of a commit that changes the path has all of
 * them.
 */
export function keysOf(path: Buffer): PathKey[] {
  const keys = [new PathKey(path)]
  for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1))
    keys.push(new PathKey(path.subarray(0, slash)))
  return keys
}

/** False if the filter excludes one of the keys. */
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

/** MurmurHash3 of 32 bits; `widen` converts a byte to a 32-bit number. */
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

/** Maximum bytes of all files of one graph: about two million commits with filters. Git handles larger ones. */
const MAX_GRAPH_BYTES = 192 * 1024 * 1024
const NO_PARENT = 0x70000000
const MORE_PARENTS = 0x80000000
const LAST_EDGE = 0x80000000

export interface SkipBounds {
  readonly steps: number
  readonly stop: number | undefined
}

/**
 * The commits of git's commit-graph, which is one file or a chain. A commit's position is its index across all files,
 * starting with the lowest file of the chain.
 */
export class CommitGraph {
  readonly count: number
  /** Bytes in memory. */
  readonly bytes: number
  readonly hasGenerations: boolean
  readonly #layers: readonly GraphLayer[]
  /** The number of the first commit of each layer. */
  readonly #begins: readonly number[]
  /** First and second parent of each commit, or -1. The second parent of an octopus merge is not stored here. */
  readonly #firstTwo: Int32Array
  /** All parents of octopus merges. */
  readonly #many = new Map<number, readonly number[]>()
  /** Committer times in epoch seconds. */
  readonly #dates: Float64Array
  readonly #generations: Float64Array

  constructor(layers: readonly GraphLayer[]) {
    this.#layers = layers
    this.#begins = layers.map((_, index) => layers.slice(0, index).reduce((sum, { count }) => sum + count, 0))
    this.count = layers.reduce((sum, { count }) => sum + count, 0)
    this.#firstTwo = new Int32Array(this.count * 2)
    this.#dates = new Float64Array(this.count)
    this.#generations = new Float64Array(this.count)
    this.bytes = layers.reduce((sum, { data }) => sum + data.length, 0) + this.count * 24
    const hasDates = layers.every(({ generations }) => generations > 0)
    for (const [index, layer] of layers.entries()) this.#load(layer, this.#begins[index]!, hasDates)
    this.hasGenerations = this.#generations.every((generation) => generation > 0)
  }

  /** The number of commits with equal positions in both graphs, because both begin with the same files. */
  sharedWith(other: CommitGraph): number {
    const differs = this.#layers.findIndex(({ data }, index) => other.#layers[index]?.data.equals(data) !== true)
    return differs === -1 ? this.count : this.#begins[differs]!
  }

  find(id: Buffer): number | undefined {
    for (let index = this.#layers.length - 1; index >= 0; index--) {
      const found = findInLayer(this.#layers[index]!, id)
      if (found !== undefined) return this.#begins[index]! + found
    }
    return undefined
  }

  /** Returns a view into the file. */
  id(position: number): Buffer {
    const { layer, index } = this.#locate(position)
    const at = layer.ids + index * layer.idBytes
    return layer.data.subarray(at, at + layer.idBytes)
  }

  tree(position: number): Buffer {
    const { layer, index } = this.#locate(position)
    const at = layer.commits + index * (layer.idBytes + 16)
    return layer.data.subarray(at, at + layer.idBytes)
  }

  parents(position: number): readonly number[] {
    const first = this.#firstTwo[position * 2]!
    const second = this.#firstTwo[position * 2 + 1]!
    if (second >= 0) return [first, second]
    if (first < 0) return []
    return this.#many.get(position) ?? [first]
  }

  /** Committer time in epoch seconds. */
  date(position: number): number {
    return this.#dates[position]!
  }

  /** Greater than that of every ancestor; meaningful only if `hasGenerations`. */
  generation(position: number): number {
    return this.#generations[position]!
  }

  filter(position: number): Filter | undefined {
    const { layer, index } = this.#locate(position)
    return filterOf(layer, index)
  }

  /**
   * Follows first parents to the nearest commit that may have changed the path of the keys, has no parents, or is
   * `stop`. After `steps` commits it returns the commit it reached.
   */
  skipUnchanged(position: number, keys: readonly PathKey[], { steps, stop }: SkipBounds): number {
    let at = position
    for (let step = 0; step < steps && at !== stop; step++) {
      const parent = this.#firstTwo[at * 2]!
      const filter = parent < 0 ? undefined : this.filter(at)
      if (!filter || mayContainAll(filter, keys)) return at
      at = parent
    }
    return at
  }

  #locate(position: number): { readonly layer: GraphLayer; readonly index: number } {
    let at = this.#layers.length - 1
    while (this.#begins[at]! > position) at--
    return { layer: this.#layers[at]!, index: position - this.#begins[at]! }
  }

  #load(layer: GraphLayer, begin: number, hasDates: boolean): void {
    const { data, idBytes, commits } = layer
    for (let index = 0; index < layer.count; index++) {
      const position = begin + index
      const at = commits + (index + 1) * (idBytes + 16) - 16
      this.#loadParents(layer, position, at)
      const word = data.readUInt32BE(at + 8)
      const date = (word & 3) * 2 ** 32 + data.readUInt32BE(at + 12)
      this.#dates[position] = date
      // Corrected commit dates are comparable only if every file of the chain has them (gitformat-commit-graph).
      this.#generations[position] = hasDates ? date + generationOffset(layer, index) : word >>> 2
    }
  }

  #loadParents(layer: GraphLayer, position: number, at: number): void {
    const { data } = layer
    const first = data.readUInt32BE(at)
    const second = data.readUInt32BE(at + 4)
    this.#firstTwo[position * 2] = first === NO_PARENT ? -1 : this.#checked(first)
    this.#firstTwo[position * 2 + 1] = second === NO_PARENT || second >= MORE_PARENTS ? -1 : this.#checked(second)
    if (second >= MORE_PARENTS) this.#many.set(position, [this.#checked(first), ...this.#edges(layer, second)])
  }

  #edges({ data, edges }: GraphLayer, second: number): number[] {
    const parents: number[] = []
    for (let index = second - MORE_PARENTS; ; index++) {
      if (!edges || (index + 1) * 4 > edges.length) throw new UnsupportedError('parents are outside of their chunk')
      const edge = data.readUInt32BE(edges.at + index * 4)
      parents.push(this.#checked(edge % LAST_EDGE))
      if (edge >= LAST_EDGE) return parents
    }
  }

  #checked(position: number): number {
    if (position >= this.count) throw new UnsupportedError('a parent is outside of its commit-graph')
    return position
  }
}

function generationOffset({ data, generations, overflow }: GraphLayer, index: number): number {
  const offset = data.readUInt32BE(generations + index * 4)
  if (offset < 0x80000000) return offset
  const at = (offset - 0x80000000) * 8
  if (!overflow || at + 8 > overflow.length) throw new UnsupportedError('a generation is outside of its chunk')
  return readUint64(data, overflow.at + at)
}

/** Loads the commit-graph of the first directory that has one, as git does; undefined if none has. */
export function loadCommitGraph(directories: readonly string[], idBytes: number): CommitGraph | undefined {
  for (const directory of directories) {
    const paths = graphFiles(directory, directories)
    if (paths.length === 0) continue
    let bytes = 0
    for (const path of paths) bytes += statSync(path).size
    if (bytes > MAX_GRAPH_BYTES) throw new UnsupportedError('the commit-graph is too large')
    const layers = paths.map((path) => parseGraphLayer(readFileSync(path), idBytes))
    if (layers.some(({ bases }, index) => bases !== index)) throw new UnsupportedError('a file of the chain is missing')
    return new CommitGraph(layers)
  }
  return undefined
}

/** Returns the files of a graph in chain order. Files of a chain may be in a directory that is borrowed from. */
function graphFiles(directory: string, directories: readonly string[]): string[] {
  const single = join(directory, 'info/commit-graph')
  if (existsSync(single)) return [single]
  const chain = join(directory, 'info/commit-graphs/commit-graph-chain')
  if (!existsSync(chain)) return []
  return readFileSync(chain, 'latin1')
    .split('\n')
    .filter((hash) => hash !== '')
    .map((hash) => {
      const paths = directories.map((directory) => join(directory, 'info/commit-graphs', `graph-${hash}.graph`))
      const path = paths.find((path) => existsSync(path))
      if (path === undefined) throw new UnsupportedError('a file of the chain is missing')
      return path
    })
}
