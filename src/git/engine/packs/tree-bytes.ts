import { UnsupportedError } from './unsupported-error.ts'

const SPACE = 0x20
const SLASH = 0x2f
/** Of the first mode digit of a directory, `40000`. */
const FOUR = 0x34

/** One entry of a tree: positions in its bytes. */
interface Entry {
  readonly start: number
  readonly name: number
  /** Of the NUL after the name. */
  readonly nameEnd: number
  readonly end: number
}

/** The content of a tree object, read in place: parsing thousands of trees into objects takes seconds. */
export class TreeBytes {
  readonly bytes: Buffer
  readonly #idBytes: number
  #starts: Uint32Array | undefined

  constructor(bytes: Buffer, idBytes: number) {
    this.bytes = bytes
    this.#idBytes = idBytes
  }

  /** The mode (latin1 digits), a space and the id (latin1 bytes) of the entry with the name; undefined: none. */
  find(name: Buffer): { readonly version: string; readonly id: Buffer; readonly isTree: boolean } | undefined {
    const { bytes } = this
    for (let at = 0; at < bytes.length;) {
      const entry = this.#entry(at)
      if (
        entry.nameEnd - entry.name === name.length &&
        bytes.compare(name, 0, name.length, entry.name, entry.nameEnd) === 0
      )
        return {
          version: bytes.toString('latin1', at, entry.name) + bytes.toString('latin1', entry.nameEnd, entry.end),
          id: bytes.subarray(entry.nameEnd + 1, entry.end),
          isTree: this.#isTree(entry),
        }
      at = entry.end
    }
    return undefined
  }

  /** The versions of all entries, as `find` has them, by name as latin1 text of its bytes. */
  versions(): Map<string, string> {
    const { bytes } = this
    return new Map(
      [...this.starts()].map((start) => {
        const { name, nameEnd, end } = this.#entry(start)
        return [
          bytes.toString('latin1', name, nameEnd),
          bytes.toString('latin1', start, name) + bytes.toString('latin1', nameEnd, end),
        ]
      }),
    )
  }

  /** The directories in it; names as latin1 text of their bytes. */
  subtrees(): { readonly name: string; readonly id: Buffer }[] {
    return [...this.starts()]
      .map((start) => this.#entry(start))
      .filter((entry) => this.#isTree(entry))
      .map(({ name, nameEnd, end }) => ({
        name: this.bytes.toString('latin1', name, nameEnd),
        id: this.bytes.subarray(nameEnd + 1, end),
      }))
  }

  /** Calls `visit` with the name (latin1) of every entry that the other tree lacks or has in another version. */
  differences(other: TreeBytes, visit: (name: string) => void): void {
    let mine = 0
    let theirs = 0
    for (;;) {
      const same = commonLength(this.bytes, mine, other.bytes, theirs)
      if (mine + same === this.bytes.length) return
      const start = this.#startBefore(mine + same)
      theirs += start - mine
      mine = start
      const entry = this.#entry(mine)
      const opposite = theirs < other.bytes.length ? other.#entry(theirs) : undefined
      const order = opposite === undefined ? -1 : this.#compare(entry, other, opposite)
      if (order <= 0) {
        visit(this.bytes.toString('latin1', entry.name, entry.nameEnd))
        mine = entry.end
      }
      if (order >= 0) theirs = opposite!.end
    }
  }

  /** Where the entries begin. UnsupportedError for a damaged tree. */
  starts(): Uint32Array {
    if (this.#starts) return this.#starts
    const starts: number[] = []
    for (let at = 0; at < this.bytes.length; at = this.#entry(at).end) starts.push(at)
    return (this.#starts = Uint32Array.from(starts))
  }

  #startBefore(position: number): number {
    const starts = this.starts()
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >>> 1
      if (starts[middle]! <= position) low = middle
      else high = middle - 1
    }
    return starts[low]!
  }

  #entry(start: number): Entry {
    const { bytes } = this
    let name = start + 5
    while (bytes[name] !== SPACE && name < start + 8) name++
    name++
    let nameEnd = name
    while (bytes[nameEnd]! > 0) nameEnd++
    const end = nameEnd + 1 + this.#idBytes
    if (!(end <= bytes.length)) throw new UnsupportedError('a damaged tree')
    return { start, name, nameEnd, end }
  }

  #isTree(entry: Entry): boolean {
    return this.bytes[entry.start] === FOUR && entry.name - entry.start === 6
  }

  /** Git's order of entries: by bytes, a directory as if its name ended in a slash. 0 for equal names. */
  #compare(entry: Entry, other: TreeBytes, opposite: Entry): number {
    const mine = this.bytes
    const theirs = other.bytes
    const length = Math.min(entry.nameEnd - entry.name, opposite.nameEnd - opposite.name)
    for (let at = 0; at < length; at++) {
      const difference = mine[entry.name + at]! - theirs[opposite.name + at]!
      if (difference !== 0) return difference
    }
    const isEqual = entry.nameEnd - entry.name === opposite.nameEnd - opposite.name
    if (isEqual && this.#isTree(entry) === other.#isTree(opposite)) return 0
    const next = mine[entry.name + length]! || (this.#isTree(entry) ? SLASH : 0)
    return next - (theirs[opposite.name + length]! || (other.#isTree(opposite) ? SLASH : 0))
  }
}

const SMALL = 64

/**
 * How many bytes from the two positions on are equal. By halves, because comparing natively is far faster than here.
 */
function commonLength(a: Buffer, fromA: number, b: Buffer, fromB: number): number {
  let length = Math.min(a.length - fromA, b.length - fromB)
  if (isEqual(length, 0)) return length
  let done = 0
  while (length > SMALL) {
    const half = length >>> 1
    if (isEqual(half, done)) {
      done += half
      length -= half
    } else length = half
  }
  while (a[fromA + done] === b[fromB + done] && fromA + done < a.length && fromB + done < b.length) done++
  return done

  function isEqual(count: number, from: number): boolean {
    return a.compare(b, fromB + from, fromB + from + count, fromA + from, fromA + from + count) === 0
  }
}
