import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../../errors.ts'

export interface Ref {
  /** Full name, such as refs/heads/main. */
  readonly name: string
  readonly oid: string
  /** The object an annotated tag finally points to, if packed-refs has it. */
  readonly peeled?: string
}

/** A consistent snapshot of all refs of a repository. */
export interface RefSnapshot {
  /**
   * The target of HEAD, such as refs/heads/main, even if that branch does not exist yet. Undefined for a detached HEAD.
   */
  readonly head: string | undefined
  /** The id of a detached HEAD. */
  readonly detached: string | undefined
  get(name: string): Ref | undefined
  /** Refs whose full name begins with the prefix, sorted by name. */
  list(prefix: string): readonly Ref[]
  /** Increases with every observed change; equal numbers mean equal refs. */
  readonly version: number
}

interface Stamp {
  readonly key: string
  /**
   * NOTE: a file changed twice in one clock tick looks unchanged, so a young stamp is not trusted (git calls it racy).
   */
  readonly racy: boolean
}

interface Directory {
  readonly stamp: Stamp
  readonly values: ReadonlyMap<string, string>
  /** Files that cannot be parsed as refs. */
  readonly damaged: readonly string[]
  readonly children: readonly string[]
}

interface Packed {
  readonly stamp: Stamp
  readonly text: string
  /** Undefined for a damaged file. */
  readonly refs: ReadonlyMap<string, Ref> | undefined
  readonly isDamaged: boolean
}

/** A file younger than this may have been changed again without a new time. */
const RACY_MS = 50
/** The same for times in whole seconds from another machine's clock. */
const RACY_ELSEWHERE_MS = 2_000
const MANY_FILES = 48
const NO_FILE = 'none'
const MAX_NAMED = 5
const VALUE = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: .+)$/
const isHead = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: refs\/.+)$/.test(text)

/** Reads refs in the format of git's files backend, and re-reads only what has changed. */
export class RefReader {
  readonly #path: string
  readonly #acrossMachines: boolean
  /** Incremented when the times of files read so far must not be trusted. */
  #invalidated = 0
  readonly #directories = new Map<string, Directory>()
  #packed: Packed = { stamp: { key: '', racy: true }, text: '', refs: new Map(), isDamaged: false }
  #head: { stamp: Stamp; text: string } = { stamp: { key: '', racy: true }, text: '' }
  #snapshot: RefSnapshot | undefined
  #version = 0
  #running: Promise<RefSnapshot> | undefined
  #queued: Promise<RefSnapshot> | undefined

  /** `acrossMachines`: other machines also change the files. */
  constructor(path: string, { acrossMachines = false }: { readonly acrossMachines?: boolean } = {}) {
    this.#path = path
    this.#acrossMachines = acrossMachines
  }

  /** Forces the next snapshot to read all files again, whatever their times. */
  invalidate(): void {
    this.#invalidated++
  }

  /**
   * The current refs, including every change that was complete before the call. Throws GitError `corrupt` with the
   * file's name if a file cannot be read: without it the repository would seem to lack that ref.
   */
  current(): Promise<RefSnapshot> {
    if (!this.#running) return this.#start()
    // A read that began before this call may have missed a change; the next read serves all waiting callers.
    this.#queued ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#queued
  }

  /** Like `current`, including changes by other machines that file times do not show here yet. */
  fresh(): Promise<RefSnapshot> {
    if (this.#acrossMachines) this.invalidate()
    return this.current()
  }

  #start(): Promise<RefSnapshot> {
    this.#queued = undefined
    const running = this.#refresh().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #refresh(): Promise<RefSnapshot> {
    // Loose refs before packed refs: pack-refs writes packed-refs first and removes the loose file afterwards.
    const changed = [this.#readHead(), await this.#readDirectories(), await this.#readPacked()]
    this.#requireSound()
    if (!this.#snapshot || changed.includes(true)) {
      this.#version++
      this.#snapshot = buildSnapshot(this.#head.text, this.#directories, this.#packed.refs ?? new Map(), this.#version)
    }
    return this.#snapshot
  }

  #requireSound(): void {
    const damaged = [...this.#directories.values()].flatMap((directory) => directory.damaged)
    if (this.#packed.isDamaged) damaged.push('packed-refs')
    if (!isHead(this.#head.text)) damaged.push('HEAD')
    if (damaged.length === 0) return
    this.#snapshot = undefined
    throw new GitError('corrupt', `the repository has damaged refs: ${damaged.slice(0, MAX_NAMED).join(', ')}`)
  }

  #readHead(): boolean {
    const file = join(this.#path, 'HEAD')
    const stamp = this.#stampOf(file)
    if (stamp.key === NO_FILE) throw new GitError('no-repo', 'the repository does not exist')
    if (trusted(this.#head.stamp, stamp)) return false
    const text = readFileSync(file, 'utf8').trim()
    const changed = text !== this.#head.text
    this.#head = { stamp, text }
    return changed
  }

  async #readDirectories(): Promise<boolean> {
    let changed = false
    const seen = new Set<string>()
    const open = ['refs']
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      const cached = this.#directories.get(name)
      const stamp = this.#stampOf(join(this.#path, name))
      if (stamp.key === NO_FILE) continue
      seen.add(name)
      if (cached && trusted(cached.stamp, stamp)) {
        open.push(...cached.children)
        continue
      }
      const fresh = await this.#readDirectory(name, stamp, cached)
      changed ||= !cached || !sameValues(cached.values, fresh.values)
      this.#directories.set(name, fresh)
      open.push(...fresh.children)
    }
    for (const [name, directory] of this.#directories) {
      if (seen.has(name)) continue
      this.#directories.delete(name)
      changed ||= directory.values.size > 0
    }
    return changed
  }

  async #readDirectory(name: string, stamp: Stamp, cached: Directory | undefined): Promise<Directory> {
    let entries: Dirent[]
    try {
      entries = readdirSync(join(this.#path, name), { withFileTypes: true })
    } catch {
      return {
        stamp: { key: '', racy: true },
        values: cached?.values ?? new Map<string, string>(),
        damaged: [],
        children: [],
      }
    }
    const children = entries.filter((entry) => entry.isDirectory()).map((entry) => `${name}/${entry.name}`)
    const files = entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
      .map((entry) => `${name}/${entry.name}`)
    const texts = await readTexts(files.map((file) => join(this.#path, file)))
    const values = new Map<string, string>()
    const damaged: string[] = []
    texts.forEach((text, index) => {
      const value = text?.trim()
      if (value === undefined) return
      if (VALUE.test(value)) values.set(files[index]!, value)
      else damaged.push(files[index]!)
    })
    return { stamp, values, damaged, children }
  }

  async #readPacked(): Promise<boolean> {
    const file = join(this.#path, 'packed-refs')
    const stamp = this.#stampOf(file)
    if (trusted(this.#packed.stamp, stamp)) return false
    const found = stamp.key === NO_FILE ? undefined : await readFile(file, 'utf8').catch(emptyIfMissing)
    const text = found ?? ''
    const changed = text !== this.#packed.text
    const refs = changed ? parsePackedRefs(text) : this.#packed.refs
    this.#packed = { stamp, text, refs, isDamaged: found !== undefined && (found === '' || refs === undefined) }
    return changed
  }

  #stampOf(path: string): Stamp {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (!stat) return { key: NO_FILE, racy: false }
    const racyMs = this.#acrossMachines ? RACY_ELSEWHERE_MS : RACY_MS
    const age = performance.timeOrigin + performance.now() - Number(stat.mtimeNs / 1_000_000n)
    return { key: `${stat.mtimeNs}:${stat.ino}:${stat.size}:${this.#invalidated}`, racy: age < racyMs }
  }
}

const trusted = (cached: Stamp, now: Stamp): boolean => !cached.racy && cached.key === now.key

function sameValues(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value)
}

/**
 * Few files are read synchronously, which is much faster; many are read asynchronously, so that others are not blocked.
 */
async function readTexts(files: readonly string[]): Promise<(string | undefined)[]> {
  if (files.length <= MANY_FILES) return files.map(readNow)
  const texts: (string | undefined)[] = []
  for (let at = 0; at < files.length; at += MANY_FILES) {
    const part = files.slice(at, at + MANY_FILES)
    texts.push(...(await Promise.all(part.map((file) => readFile(file, 'utf8').catch(emptyIfMissing)))))
  }
  return texts
}

function readNow(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    return emptyIfMissing(error as NodeJS.ErrnoException)
  }
}

/**
 * A file that was deleted or became a directory since it was listed has no text; one that cannot be read has empty
 * text.
 */
const emptyIfMissing = ({ code }: NodeJS.ErrnoException): '' | undefined =>
  code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' ? undefined : ''

const PACKED_LINE = /^(?:[0-9a-f]{40}|[0-9a-f]{64}) (?=refs\/.)/
const PEELED_LINE = /^\^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/**
 * Parses a packed-refs file: `<oid> <name>` lines, and a peeled id on a `^` line after a tag. Undefined for a file that
 * git did not write in this form, or that is truncated.
 */
export function parsePackedRefs(text: string): Map<string, Ref> | undefined {
  const refs = new Map<string, Ref>()
  let last: Ref | undefined
  const lines = text.split('\n')
  if (lines.pop() !== '') return undefined
  for (const line of lines) {
    if (PACKED_LINE.test(line)) {
      const space = line.indexOf(' ')
      last = { oid: line.slice(0, space), name: line.slice(space + 1) }
      refs.set(last.name, last)
    } else if (last && PEELED_LINE.test(line)) {
      refs.set(last.name, { ...last, peeled: line.slice(1) })
    } else if (!line.startsWith('#')) return undefined
  }
  return refs
}

function buildSnapshot(
  headText: string,
  directories: ReadonlyMap<string, Directory>,
  packed: ReadonlyMap<string, Ref>,
  version: number,
): RefSnapshot {
  const loose = new Map([...directories.values()].flatMap((directory) => [...directory.values]))
  const get = (name: string, depth = 0): Ref | undefined => {
    const value = loose.get(name)
    if (value === undefined) return packed.get(name)
    if (!value.startsWith('ref: ')) return { name, oid: value }
    const target = depth < 5 ? get(value.slice(5).trim(), depth + 1) : undefined
    return target && { name, oid: target.oid }
  }
  let sorted: Ref[] | undefined
  const all = (): Ref[] => {
    const names = new Set([...packed.keys(), ...loose.keys()])
    return [...names].flatMap((name) => get(name) ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }
  return {
    head: headText.startsWith('ref: ') ? headText.slice(5).trim() : undefined,
    detached: headText.startsWith('ref: ') ? undefined : headText,
    get: (name) => get(name),
    list(prefix) {
      sorted ??= all()
      return prefix === '' ? sorted : sorted.filter((ref) => ref.name.startsWith(prefix))
    },
    version,
  }
}
