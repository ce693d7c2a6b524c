import { GitError } from '../../errors.ts'
import { type Whitespace, whitespaceArgs } from '../history/diff.ts'
import { type DiffContext, requireSpans } from './diff-texts.ts'
import { nulTokens } from './file-pairs.ts'

const PAGE = 256

/**
 * A list stored as JSON text, one page of items per string, which takes about as many bytes as the JSON instead of
 * several times as many. Items must survive a JSON round trip unchanged.
 */
export class PackedList<T> {
  readonly #pages: Buffer[] = []
  #open: T[] = []
  #bytes = 0

  get length(): number {
    return this.#pages.length * PAGE + this.#open.length
  }

  /** Approximate bytes in memory. */
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

  /** Yields the items from an index on; parses each page when it is reached. */
  *from(index: number): Generator<T, void, undefined> {
    let page = Math.floor(index / PAGE)
    let skip = index % PAGE
    for (; page <= this.#pages.length; page++) {
      yield* this.#read(page).slice(skip)
      skip = 0
    }
  }

  /** The index of the first item that is not `before`, in a list where those come first; otherwise the length. */
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

/** `unchanged`: no line differs, as when only the mode or the bytes of a binary file differ. */
type ChangedFileStatus = 'added' | 'deleted' | 'renamed' | 'copied' | 'unchanged' | 'changed'

export interface ChangedFile {
  readonly path: string
  /** Set for a rename or copy. */
  readonly previousPath?: string
  readonly status: ChangedFileStatus
  /** 0 for binary files; 1 for a submodule. */
  readonly additions: number
  readonly deletions: number
}

/** The numbers of lines and files that differ between two commits. */
export interface DiffTotals {
  readonly additions: number
  readonly deletions: number
  readonly files: number
}

export interface ChangedFileList {
  /** The number of all files that differ, including those that a whitespace mode excludes. */
  readonly total: number
  /** Yields files in git's order, by the bytes of their paths, without those that a whitespace mode excludes. */
  from(index: number): Generator<ChangedFile, void, undefined>
  /** The index of a path, or of the first path after it. */
  indexOf(path: string): number
}

const MAX_OUTPUT = 32 * 1024 * 1024

export type ChangedFiles = ReturnType<typeof createChangedFiles>

/**
 * The files that differ between two commits or trees, with rename and copy detection. Ids must be full; the empty
 * tree's id works.
 */
export function createChangedFiles({ format, cacheKey, command, memo }: Omit<DiffContext, 'objects'>) {
  async function read(base: string, head: string, whitespace: Whitespace | undefined): Promise<FileTable> {
    const args = ['diff-tree', '-r', '-M', '-C', '--raw', '--numstat', '-z', '--no-abbrev']
    args.push(...whitespaceArgs(whitespace), '--end-of-options', base, head)
    const table = new FileTable()
    for await (const tokens of nulTokens(command.stream(args, { maxOutput: MAX_OUTPUT })))
      for (const token of tokens) table.read(token)
    table.end()
    return table
  }

  async function load(base: string, head: string, whitespace?: Whitespace): Promise<FileTable> {
    requireSpans(format, { base, head })
    return memo.get(
      `${cacheKey}files ${base} ${head} ${whitespace ?? ''}`,
      ({ files }) => files.bytes,
      () => read(base, head, whitespace),
    )
  }

  return {
    /**
     * Lists the files in packed form, with one process for any number of files and no process on a cache hit. GitError
     * `too-large` above some hundred thousand files. A whitespace mode says which line differences to ignore.
     */
    list: load,
    /** The totals of the same list, which are cached for longer. */
    totals: (base: string, head: string): Promise<DiffTotals> =>
      memo.get(
        `${cacheKey}totals ${base} ${head}`,
        () => 24,
        async () => (await load(base, head, undefined)).totals,
      ),
  }
}

type Entry = readonly [letter: string, path: string, previousPath?: string]
type FileRow = readonly [path: string, status: ChangedFileStatus, lines: Lines, previousPath?: string]
type Lines = readonly [additions: number, deletions: number]

const STATUS: Readonly<Record<string, ChangedFileStatus>> = { A: 'added', D: 'deleted', R: 'renamed', C: 'copied' }

/**
 * Parses the output of `diff-tree --raw --numstat -z`: first an entry for every file, `:<modes> <ids> <status>` and one
 * or two paths; then the numbers of files in the same order, `<added>\t<deleted>\t` followed by the path, or by an
 * empty field and two paths.
 * NOTE: files without a difference under the whitespace mode have an entry but no numbers.
 */
class FileTable implements ChangedFileList {
  readonly files = new PackedList<FileRow>()
  #entries: PackedList<Entry> | undefined = new PackedList<Entry>()
  #waiting: Generator<Entry, void, undefined> | undefined
  /** The tokens of the entry or numbers being read. */
  #open: string[] = []
  #additions = 0
  #deletions = 0
  #total = 0

  get total(): number {
    return this.#total
  }

  get totals(): DiffTotals {
    return { additions: this.#additions, deletions: this.#deletions, files: this.files.length }
  }

  *from(index: number): Generator<ChangedFile, void, undefined> {
    for (const [path, status, [additions, deletions], previousPath] of this.files.from(index))
      yield { path, status, additions, deletions, ...(previousPath !== undefined && { previousPath }) }
  }

  indexOf(path: string): number {
    const wanted = Buffer.from(path)
    return this.files.indexAfter(([name]) => Buffer.compare(Buffer.from(name), wanted) < 0)
  }

  read(token: string): void {
    this.#open.push(token)
    const [head] = this.#open as [string]
    const isEntry = this.#waiting === undefined && head.startsWith(':')
    if (this.#open.length < (isEntry ? entryTokens(head) : numberTokens(head))) return
    if (isEntry) this.#addEntry(this.#open)
    else this.#addNumbers(head, this.#open)
    this.#open = []
  }

  /** Drops the entries without numbers. */
  end(): void {
    this.#entries = undefined
    this.#waiting = undefined
  }

  #addEntry([meta = '', first = '', second]: readonly string[]): void {
    const letter = meta[meta.lastIndexOf(' ') + 1]!
    this.#entries!.push(second === undefined ? [letter, first] : [letter, second, first])
    this.#total++
  }

  #addNumbers(head: string, [, , newPath]: readonly string[]): void {
    this.#waiting ??= this.#entries!.from(0)
    this.#entries = undefined
    const [added, deleted, path] = splitNumbers(head)
    const entry = next(this.#waiting, newPath ?? path)
    const lines: Lines = [Number(added) || 0, Number(deleted) || 0]
    const [letter, , previousPath] = entry
    const status = STATUS[letter] ?? (lines[0] + lines[1] === 0 ? 'unchanged' : 'changed')
    this.files.push(previousPath === undefined ? [entry[1], status, lines] : [entry[1], status, lines, previousPath])
    this.#additions += lines[0]
    this.#deletions += lines[1]
  }
}

/** Returns the entry of a path; the skipped entries have no remaining difference. */
function next(entries: Generator<Entry, void, undefined>, path: string): Entry {
  for (let entry = entries.next(); !entry.done; entry = entries.next()) if (entry.value[1] === path) return entry.value
  throw new GitError('failed', 'git printed numbers of a file without an entry')
}

/** A rename or copy has two paths. */
const entryTokens = (meta: string): number => (/ [RC]\d*$/.test(meta) ? 3 : 2)

const numberTokens = (head: string): number => (head.endsWith('\t') && splitNumbers(head)[2] === '' ? 3 : 1)

function splitNumbers(head: string): [added: string, deleted: string, path: string] {
  const first = head.indexOf('\t')
  const second = head.indexOf('\t', first + 1)
  return [head.slice(0, first), head.slice(first + 1, second), head.slice(second + 1)]
}
