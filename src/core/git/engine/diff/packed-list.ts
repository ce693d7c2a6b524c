const PAGE = 256

/**
 * A list that is kept as JSON text, a page of items in one piece: some hundred bytes of an item are that many and not
 * several times as many. Items must be what JSON gives back unchanged.
 */
export class PackedList<T> {
  readonly #pages: Buffer[] = []
  #open: T[] = []
  #bytes = 0

  get length(): number {
    return this.#pages.length * PAGE + this.#open.length
  }

  /** Of memory, about. */
  get bytes(): number {
    return this.#bytes + this.#open.length * 300
  }

  push(item: T): void {
    this.#open.push(item)
    if (this.#open.length < PAGE) return
    const page = Buffer.from(JSON.stringify(this.#open))
    this.#pages.push(page)
    this.#bytes += page.length
    this.#open = []
  }

  /** The items from an index on; reads a page when it is reached. */
  *from(index: number): Generator<T, void, undefined> {
    let page = Math.floor(index / PAGE)
    let skip = index % PAGE
    for (; page <= this.#pages.length; page++) {
      yield* this.#read(page).slice(skip)
      skip = 0
    }
  }

  /** The index of the first item that is not `before`, in a list where those that are come first; else the length. */
  indexAfter(before: (item: T) => boolean): number {
    let low = 0
    let high = this.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const { value } = this.from(middle).next()
      if (value !== undefined && before(value)) low = middle + 1
      else high = middle
    }
    return low
  }

  #read(page: number): readonly T[] {
    return page === this.#pages.length ? this.#open : (JSON.parse(this.#pages[page]!.toString('utf8')) as T[])
  }
}
