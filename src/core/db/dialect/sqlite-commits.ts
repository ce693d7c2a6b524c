interface CommitsDeps {
  /** Changes with every commit of another connection; NaN while it cannot be asked. It locks the file. */
  readonly dataVersion: () => number
  /** The header of the index of the log; undefined while a commit changes it. The buffer may be used again. */
  readonly indexHeader: () => Buffer | undefined
}

const HEADER_BYTES = 48

/**
 * Numbers the states of an SQLite file. Each commit changes the header of the log's index, which is read in a third of
 * the time that `data_version` takes. SQLite changes that header in memory that is mapped to the file; whether the file
 * system shows this to those who read the file is seen at the first commit: until then, and for ever where it does not,
 * `data_version` is asked.
 */
export class SqliteCommits {
  readonly #deps: CommitsDeps
  #version = 0
  #dataVersion = Number.NaN
  /** The header when it was last read; while `data_version` is asked, from before that. */
  readonly #header = Buffer.alloc(HEADER_BYTES)
  #isHeaderKnown = false
  /** Undefined until a commit shows it. */
  #showsCommits: boolean | undefined

  constructor(deps: CommitsDeps) {
    this.#deps = deps
  }

  /** Grows with every commit of any connection; NaN while the file cannot say. */
  version(): number {
    return this.#showsCommits === true ? this.#versionByHeader() : this.#versionByPragma()
  }

  #versionByHeader(): number {
    const header = this.#readHeader()
    if (header === undefined) return Number.NaN
    if (this.#isAsKnown(header)) return this.#version
    this.#keep(header)
    return ++this.#version
  }

  #versionByPragma(): number {
    const before = this.#readCopy()
    const dataVersion = this.#deps.dataVersion()
    if (Number.isNaN(dataVersion)) return Number.NaN
    if (dataVersion !== this.#dataVersion) {
      this.#judge()
      this.#dataVersion = dataVersion
      this.#version++
    }
    if (this.#showsCommits === true) return this.#versionByHeader()
    this.#isHeaderKnown = before !== undefined
    if (before !== undefined) this.#keep(before)
    return this.#version
  }

  /** After a commit, which came later than the known header was read. */
  #judge(): void {
    if (this.#showsCommits !== undefined || !this.#isHeaderKnown) return
    const header = this.#readHeader()
    if (header !== undefined) this.#showsCommits = !this.#isAsKnown(header)
  }

  #isAsKnown(header: Buffer): boolean {
    return this.#header.compare(header, 0, HEADER_BYTES, 0, HEADER_BYTES) === 0
  }

  #keep(header: Buffer): void {
    header.copy(this.#header, 0, 0, HEADER_BYTES)
  }

  /** Only as long as it is undecided whether the header can be used. */
  #readCopy(): Buffer | undefined {
    // NOTE: another process may delete the file until the connection of `data_version` has read for the first time.
    if (this.#showsCommits !== undefined || Number.isNaN(this.#dataVersion)) return undefined
    const header = this.#readHeader()
    return header && Buffer.from(header.subarray(0, HEADER_BYTES))
  }

  #readHeader(): Buffer | undefined {
    try {
      return this.#deps.indexHeader()
    } catch {
      // NOTE: some systems do not let a file be read of which SQLite has locked a part.
      return undefined
    }
  }
}
