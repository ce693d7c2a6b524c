import { UnsupportedError } from './unsupported-error.ts'

const SPACE = 0x20
const SLASH = 0x2f
const ZERO = 0x30
const ONE = 0x31
/** First digit of a directory's mode, `40000`. */
const FOUR = 0x34
const SEVEN = 0x37
/** How many bytes before a position are searched for the start of its entry; for longer names all starts are read. */
const MAX_BACK = 300

/** An entry of a tree, as positions in its bytes. */
interface EntryBounds {
  readonly start: number
  readonly name: number
  /** Position of the NUL after the name. */
  readonly nameEnd: number
  readonly end: number
}

/** The result of `find`. */
interface TreeEntryFound {
  readonly start: number
  /** The mode (latin1 digits), a space, a NUL and the id (latin1 bytes). */
  readonly version: string
  readonly id: Buffer
  readonly isTree: boolean
}

/** The content of a tree object, read in place: parsing thousands of trees into objects would take seconds. */
export class TreeBytes {
  readonly bytes: Buffer
  readonly #idBytes: number
  #starts: Uint32Array | undefined

  constructor(bytes: Buffer, idBytes: number) {
    this.bytes = bytes
    this.#idBytes = idBytes
  }

  /** The entry with the name, or undefined. `hint` is its offset in a similar tree. */
  find(name: Buffer, hint = -1): TreeEntryFound | undefined {
    const entry = hint >= 0 && this.#isAt(hint, name) ? this.#entry(hint) : this.#scan(name)
    return (
      entry && {
        start: entry.start,
        version: this.version(entry),
        id: this.id(entry),
        isTree: this.isTree(entry),
      }
    )
  }

  /** The versions of all entries, as in `find`, by name as latin1 text. */
  versions(): Map<string, string> {
    return new Map(this.entries().map((entry) => [this.name(entry), this.version(entry)]))
  }

  /** All entries in tree order. */
  entries(): EntryBounds[] {
    return Array.from(this.starts(), (start) => this.#entry(start))
  }

  /** The name as latin1 text of its bytes. */
  name({ name, nameEnd }: EntryBounds): string {
    return this.bytes.toString('latin1', name, nameEnd)
  }

  /** See `TreeEntryFound`. */
  version({ start, name, nameEnd, end }: EntryBounds): string {
    return this.bytes.toString('latin1', start, name) + this.bytes.toString('latin1', nameEnd, end)
  }

  id({ nameEnd, end }: EntryBounds): Buffer {
    return this.bytes.subarray(nameEnd + 1, end)
  }

  isTree({ start, name }: EntryBounds): boolean {
    return this.bytes[start] === FOUR && name - start === 6
  }

  /** Calls `visit` with the name (latin1) of every entry that the other tree lacks or has in another version. */
  differences(other: TreeBytes, visit: (name: string) => void): void {
    let mine = 0
    let theirs = 0
    while (mine < this.bytes.length) {
      if (theirs < other.bytes.length) {
        const same = commonLength(this.bytes, mine, other.bytes, theirs)
        if (mine + same === this.bytes.length) return
        // The first difference is in the entry of the last common byte, or in the entries that begin after it.
        const start = this.#startBefore(mine + same)
        theirs += start - mine
        mine = start
      }
      const entry = this.#entry(mine)
      const opposite = theirs < other.bytes.length ? other.#entry(theirs) : undefined
      const order = orderOf({ tree: this, entry }, { tree: other, entry: opposite })
      if (order <= 0) {
        visit(this.name(entry))
        mine = entry.end
      }
      if (order >= 0) theirs = opposite!.end
    }
  }

  /** Offsets of the entries. Throws UnsupportedError for a damaged tree. */
  starts(): Uint32Array {
    if (this.#starts) return this.#starts
    const starts: number[] = []
    for (let at = 0; at < this.bytes.length; at = this.#entry(at).end) starts.push(at)
    return (this.#starts = Uint32Array.from(starts))
  }

  #scan(name: Buffer): EntryBounds | undefined {
    const { bytes } = this
    for (let at = 0; at < bytes.length;) {
      const entry = this.#entry(at)
      if (
        entry.nameEnd - entry.name === name.length &&
        bytes.compare(name, 0, name.length, entry.name, entry.nameEnd) === 0
      )
        return entry
      at = entry.end
    }
    return undefined
  }

  /** True if an entry with the name begins at `start`. */
  #isAt(start: number, name: Buffer): boolean {
    const { bytes } = this
    const at = start + (bytes[start] === FOUR ? 6 : 7)
    if (at + name.length >= bytes.length || bytes[at + name.length] !== 0 || !this.#isModeAt(start, at - 1))
      return false
    for (let index = 0; index < name.length; index++) if (bytes[at + index] !== name[index]) return false
    return this.#isBegin(start)
  }

  /** True if one of git's modes begins at `start` and ends before the space at `space`. */
  #isModeAt(start: number, space: number): boolean {
    const { bytes } = this
    if (start < 0 || bytes[space] !== SPACE || bytes[start] !== (space - start === 6 ? ONE : FOUR)) return false
    for (let at = start + 1; at < space; at++) if (!isOctal(bytes[at]!)) return false
    return true
  }

  /**
   * True if an entry really begins at `start`: a NUL and an id precede it. The check fails if a possible mode lies
   * inside that id with the rest of that id in its name, so crafted ids or names cannot mislead it.
   */
  #isBegin(start: number): boolean {
    if (start === 0) return true
    const { bytes } = this
    const id = start - this.#idBytes
    if (id < 1 || bytes[id - 1] !== 0 || isOctal(bytes[start - 1]!)) return false
    for (let at = id + 1; at < start; at++) if (bytes[at] === SPACE && isOctal(bytes[at - 1]!)) return false
    return true
  }

  /** The start of the entry that contains the position. */
  #startBefore(position: number): number {
    const { bytes } = this
    if (this.#starts === undefined) {
      const last = Math.max(0, position - MAX_BACK)
      for (let space = Math.min(position + 6, bytes.length - 1); space > last; space--) {
        if (bytes[space] !== SPACE) continue
        const length = bytes[space - 6] === ONE ? 6 : 5
        const start = space - length
        if (start <= position && this.#isModeAt(start, space) && this.#isBegin(start))
          return this.#next(start, position)
      }
    }
    return this.#searchStart(position)
  }

  /** The same, searching from a start before the position. */
  #next(start: number, position: number): number {
    for (let at = start; ;) {
      const { end } = this.#entry(at)
      if (end > position) return at
      at = end
    }
  }

  #searchStart(position: number): number {
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

  #entry(start: number): EntryBounds {
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
}

interface Side {
  readonly tree: TreeBytes
  /** Undefined after the last entry. */
  readonly entry: EntryBounds | undefined
}

/** Git's entry order: by bytes, a directory as if its name ended in a slash. 0 for equal names and types. */
function orderOf(mine: Side & { readonly entry: EntryBounds }, theirs: Side): number {
  if (!theirs.entry) return -1
  const { name, nameEnd } = mine.entry
  const { name: other, nameEnd: otherEnd } = theirs.entry
  const length = Math.min(nameEnd - name, otherEnd - other)
  for (let at = 0; at < length; at++) {
    const difference = mine.tree.bytes[name + at]! - theirs.tree.bytes[other + at]!
    if (difference !== 0) return difference
  }
  const isTree = mine.tree.isTree(mine.entry)
  const isOtherTree = theirs.tree.isTree(theirs.entry)
  if (nameEnd - name === otherEnd - other && isTree === isOtherTree) return 0
  const next = mine.tree.bytes[name + length]! || (isTree ? SLASH : 0)
  return next - (theirs.tree.bytes[other + length]! || (isOtherTree ? SLASH : 0))
}

const isOctal = (byte: number): boolean => byte >= ZERO && byte <= SEVEN

const SMALL = 64

/**
 * The number of equal bytes from both positions on. Bisects with native comparison, which is far faster than a loop
 * here.
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
