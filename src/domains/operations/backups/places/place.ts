/** Something that a copy consists of. */
export interface Stored {
  /** With slashes between its parts. */
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** What a name has, and which of the values that it has had. */
export interface Versioned {
  readonly data: Buffer
  readonly version: string
}

/** Where copies are kept. Everything throws while the place is away, and writing also when it is full. */
export interface Place {
  /** For operators: a directory, or a bucket with its prefix. */
  readonly label: string
  /** Whole or not at all; durable when it resolves. Replaces what has the name. */
  put(name: string, data: Uint8Array): Promise<void>
  /** As put, of any length. `size`: bytes that it has at most. */
  putStream(name: string, source: AsyncIterable<Uint8Array>, size: number): Promise<void>
  /** Undefined when there is nothing of the name. */
  get(name: string): Promise<Buffer | undefined>
  /** As get, with the version for `replace`. */
  getVersion(name: string): Promise<Versioned | undefined>
  /**
   * As put, but only where the name still has this version; undefined: only where there is nothing of the name. False
   * when something else is there. NOTE: not every place compares and writes in one step, so that the caller looks
   * again.
   */
  replace(name: string, data: Uint8Array, version: string | undefined): Promise<boolean>
  /** As get, piece by piece. */
  open(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** What is below a folder, which ends with a slash, sorted by name; those behind `after`. */
  list(folder: string, after?: string): AsyncIterable<Stored>
  /** The names of the folders directly in a folder, sorted, without slash. */
  folders(folder: string): Promise<string[]>
  /** Nothing happens when it is gone. */
  remove(name: string): Promise<void>
  /** Deletes what was left of writes that began before (epoch milliseconds) and never ended. */
  clean(before: number): Promise<void>
}
