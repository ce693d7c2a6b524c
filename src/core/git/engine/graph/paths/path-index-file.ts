import { crc32 } from 'node:zlib'
import { UnsupportedError } from '../../packs/unsupported-error.ts'
import type { Walk } from '../walk.ts'

/** `IPTH`. */
const SIGNATURE = 0x49505448
const VERSION = 1
const HEADER_BYTES = 20
const TRAILER_BYTES = 4
const COMPLETE = 1
/** Written between two yields. */
const PATHS_AT_ONCE = 256

/** How a commit has a path. `FIRST_OTHER + n`: as its parent n + 2, and not as an earlier parent. */
export const MARK = {
  /** As its first parent has it. */
  same: 0,
  /** Otherwise than all of its parents. */
  changed: 1,
  firstOther: 2,
  /** The index does not tell. */
  unknown: 255,
} as const

/** The parent, counted from 0, that has the path as the commit has it; of neither `changed` nor `unknown`. */
export const parentOfMark = (mark: number): number => (mark === MARK.same ? 0 : mark - MARK.firstOther + 1)

export const markOfParent = (parent: number): number => (parent === 0 ? MARK.same : MARK.firstOther + parent - 1)

/** What is written to a file: the changes of the commits of one commit-graph file. */
export interface PathIndexContent {
  readonly commits: number
  /** A bit for each commit: whether its changes are in the index. */
  readonly covered: Uint8Array
  /** False while more commits can be covered. */
  readonly isComplete: boolean
  /** Latin1 text of their bytes, in order; each with its changes by ascending commit, none twice. */
  readonly paths: readonly string[]
  changes(path: number): Iterable<PathChange>
}

interface PathChange {
  readonly commit: number
  /** See `MARK`; never `same` or `unknown`. */
  readonly mark: number
}

/**
 * Numbers are big endian: signature, version, commits, paths, flags; a bit for each covered commit; where the record of
 * each path begins; records; CRC-32 of all before. A record is the length of the path, the path and its changes: the
 * distance to the commit before, shifted by one bit, which is set where a mark other than `changed` follows.
 */
export function* encodePathIndex(content: PathIndexContent): Walk<Buffer> {
  const { commits, covered, isComplete, paths } = content
  const records = new Output()
  const starts = Buffer.alloc(paths.length * 4)
  for (const [index, path] of paths.entries()) {
    starts.writeUInt32BE(records.length, index * 4)
    records.varint(path.length)
    records.latin1(path)
    let before = 0
    for (const { commit, mark } of content.changes(index)) {
      records.varint((commit - before) * 2 + (mark === MARK.changed ? 0 : 1))
      if (mark !== MARK.changed) records.varint(mark)
      before = commit
    }
    if (index % PATHS_AT_ONCE === 0) yield 'working'
  }
  const header = Buffer.alloc(HEADER_BYTES)
  for (const [index, value] of [SIGNATURE, VERSION, commits, paths.length, isComplete ? COMPLETE : 0].entries())
    header.writeUInt32BE(value, index * 4)
  const body = Buffer.concat([header, covered, starts, records.bytes()])
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32BE(crc32(body))
  return Buffer.concat([body, trailer])
}

/** The changes of the commits of one commit-graph file, path by path. Commits count from 0 in that file. */
export class PathIndexFile {
  readonly commits: number
  readonly paths: number
  readonly isComplete: boolean
  readonly #data: Buffer
  readonly #starts: number
  readonly #records: number

  /** UnsupportedError for what is damaged, or made for another number of commits. */
  constructor(data: Buffer, commits: number) {
    const end = data.length - TRAILER_BYTES
    if (end < HEADER_BYTES || data.readUInt32BE(end) !== crc32(data.subarray(0, end)))
      throw new UnsupportedError('a damaged path index')
    const [signature, version, count, paths, flags] = [0, 4, 8, 12, 16].map((at) => data.readUInt32BE(at))
    if (signature !== SIGNATURE || version !== VERSION || count !== commits)
      throw new UnsupportedError('a path index of another version')
    this.commits = commits
    this.paths = paths!
    this.isComplete = flags === COMPLETE
    this.#data = data
    this.#starts = HEADER_BYTES + Math.ceil(commits / 8)
    this.#records = this.#starts + this.paths * 4
    if (this.#records > end) throw new UnsupportedError('a damaged path index')
  }

  /** In memory. */
  get bytes(): number {
    return this.#data.length
  }

  /** As in `PathIndexContent`. */
  get covered(): Uint8Array {
    return this.#data.subarray(HEADER_BYTES, this.#starts)
  }

  isCovered(commit: number): boolean {
    return (this.#data[HEADER_BYTES + (commit >>> 3)]! & (1 << (commit & 7))) !== 0
  }

  path(index: number): Buffer {
    return this.#record(index).path
  }

  /** The number of a path in the order of bytes; undefined: no covered commit changed it. */
  find(path: Buffer): number | undefined {
    let low = 0
    let high = this.paths
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = this.#record(middle).path.compare(path)
      if (order === 0) return middle
      if (order < 0) low = middle + 1
      else high = middle
    }
    return undefined
  }

  /** Calls `visit` with every covered commit that has the path otherwise than its first parent. */
  changes(index: number, visit: (commit: number, mark: number) => void): void {
    const { next, end } = this.#record(index)
    const input = new Input(this.#data, next, end)
    for (let commit = 0; input.at < end;) {
      const step = input.varint()
      commit += Math.floor(step / 2)
      const mark = step % 2 === 0 ? MARK.changed : input.varint()
      if (commit >= this.commits) throw new UnsupportedError('a damaged path index')
      visit(commit, mark)
    }
  }

  #record(index: number): { readonly path: Buffer; readonly next: number; readonly end: number } {
    const at = this.#records + this.#data.readUInt32BE(this.#starts + index * 4)
    const end =
      index + 1 === this.paths
        ? this.#data.length - TRAILER_BYTES
        : this.#records + this.#data.readUInt32BE(this.#starts + index * 4 + 4)
    const input = new Input(this.#data, at, end)
    const length = input.varint()
    return { path: this.#data.subarray(input.at, input.at + length), next: input.at + length, end }
  }
}

class Input {
  readonly #data: Buffer
  readonly #end: number
  at: number

  constructor(data: Buffer, at: number, end: number) {
    this.#data = data
    this.at = at
    this.#end = end
  }

  varint(): number {
    let value = 0
    for (let factor = 1; this.at < this.#end; factor *= 128) {
      const byte = this.#data[this.at++]!
      value += (byte & 0x7f) * factor
      if (byte < 0x80) return value
    }
    throw new UnsupportedError('a damaged path index')
  }
}

const FIRST_BYTES = 64 * 1024

class Output {
  length = 0
  #data = Buffer.alloc(FIRST_BYTES)

  varint(value: number): void {
    this.#reserve(8)
    let rest = value
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#data[this.length++] = (rest & 0x7f) | 0x80
    this.#data[this.length++] = rest
  }

  latin1(text: string): void {
    this.#reserve(text.length)
    this.length += this.#data.write(text, this.length, 'latin1')
  }

  bytes(): Buffer {
    return this.#data.subarray(0, this.length)
  }

  #reserve(bytes: number): void {
    if (this.length + bytes <= this.#data.length) return
    const larger = Buffer.alloc(Math.max(this.length + bytes, this.#data.length * 2))
    this.#data.copy(larger)
    this.#data = larger
  }
}
