import { readdirSync, readFileSync, statSync, type Dirent } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../errors.ts'

export interface Ref {
  /** Full name: refs/heads/main. */
  readonly name: string
  readonly oid: string
  /** What an annotated tag finally points to, where packed-refs says so. */
  readonly peeled?: string
}

/** All refs of a repository at one moment. */
export interface RefSnapshot {
  /** Where HEAD points: refs/heads/main, also when that branch does not exist yet. Undefined for a detached HEAD. */
  readonly head: string | undefined
  /** The id of a detached HEAD. */
  readonly detached: string | undefined
  get(name: string): Ref | undefined
  /** Refs whose full name begins with the prefix, sorted by name. */
  list(prefix: string): readonly Ref[]
  /** Grows with every change seen; equal numbers mean equal refs. */
  readonly version: number
}

interface Stamp {
  readonly key: string
  /**
   * NOTE: a file changed in the same clock tick again would look unchanged, so a young stamp is not trusted (git calls
   * it racy).
   */
  readonly racy: boolean
}

interface Directory {
  readonly stamp: Stamp
  readonly values: ReadonlyMap<string, string>
  readonly children: readonly string[]
}

interface Packed {
  readonly stamp: Stamp
  readonly text: string
  readonly refs: ReadonlyMap<string, Ref>
}

const RACY_MS = 50
const MANY_FILES = 48
const NO_FILE = 'none'

/** Reads refs as git's files backend stores them, and re-reads only what changed since. */
export class RefReader {
  readonly #path: string
  readonly #directories = new Map<string, Directory>()
  #packed: Packed = { stamp: { key: '', racy: true }, text: '', refs: new Map() }
  #head: { stamp: Stamp; text: string } = { stamp: { key: '', racy: true }, text: '' }
  #snapshot: RefSnapshot | undefined
  #version = 0
  #running: Promise<RefSnapshot> | undefined
  #queued: Promise<RefSnapshot> | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** The refs as they are now: every change that was complete before the call is in it. */
  current(): Promise<RefSnapshot> {
    if (!this.#running) return this.#start()
    // One that began before this call may have missed a change; the next one serves everybody who waits.
    this.#queued ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#queued
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
    // Loose before packed: pack-refs writes packed-refs first and removes the loose file then.
    const changed = [this.#readHead(), await this.#readDirectories(), await this.#readPacked()]
    if (!this.#snapshot || changed.includes(true)) {
      this.#version++
      this.#snapshot = buildSnapshot(this.#head.text, this.#directories, this.#packed.refs, this.#version)
    }
    return this.#snapshot
  }

  #readHead(): boolean {
    const file = join(this.#path, 'HEAD')
    const stamp = stampOf(file)
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
      seen.add(name)
      const known = this.#directories.get(name)
      const stamp = stampOf(join(this.#path, name))
      if (stamp.key === NO_FILE) continue
      if (known && trusted(known.stamp, stamp)) {
        open.push(...known.children)
        continue
      }
      const fresh = await this.#readDirectory(name, stamp, known)
      changed ||= !known || !sameValues(known.values, fresh.values)
      this.#directories.set(name, fresh)
      open.push(...fresh.children)
    }
    for (const [name, directory] of this.#directories) {
      if (seen.has(name) && stampOf(join(this.#path, name)).key !== NO_FILE) continue
      this.#directories.delete(name)
      changed ||= directory.values.size > 0
    }
    return changed
  }

  async #readDirectory(name: string, stamp: Stamp, known: Directory | undefined): Promise<Directory> {
    let entries: Dirent[]
    try {
      entries = readdirSync(join(this.#path, name), { withFileTypes: true })
    } catch {
      return { stamp: { key: '', racy: true }, values: known?.values ?? new Map<string, string>(), children: [] }
    }
    const children = entries.filter((entry) => entry.isDirectory()).map((entry) => `${name}/${entry.name}`)
    const files = entries
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
      .map((entry) => `${name}/${entry.name}`)
    const texts = await readTexts(files.map((file) => join(this.#path, file)))
    const values = new Map<string, string>()
    texts.forEach((text, index) => {
      const value = text?.trim()
      if (value && /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: .+)$/.test(value)) values.set(files[index]!, value)
    })
    return { stamp, values, children }
  }

  async #readPacked(): Promise<boolean> {
    const file = join(this.#path, 'packed-refs')
    const stamp = stampOf(file)
    if (trusted(this.#packed.stamp, stamp)) return false
    const text = stamp.key === NO_FILE ? '' : await readFile(file, 'utf8').catch(() => '')
    const changed = text !== this.#packed.text
    this.#packed = { stamp, text, refs: changed ? parsePackedRefs(text) : this.#packed.refs }
    return changed
  }
}

function stampOf(path: string): Stamp {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  if (!stat) return { key: NO_FILE, racy: false }
  const age = performance.timeOrigin + performance.now() - Number(stat.mtimeNs / 1_000_000n)
  return { key: `${stat.mtimeNs}:${stat.ino}:${stat.size}`, racy: age < RACY_MS }
}

const trusted = (known: Stamp, now: Stamp): boolean => !known.racy && known.key === now.key

function sameValues(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, value]) => b.get(name) === value)
}

/** Small numbers at once on this thread, which is faster by far; many without holding up others. */
async function readTexts(files: readonly string[]): Promise<(string | undefined)[]> {
  if (files.length <= MANY_FILES) return files.map(readNow)
  const texts: (string | undefined)[] = []
  for (let at = 0; at < files.length; at += MANY_FILES) {
    const part = files.slice(at, at + MANY_FILES)
    texts.push(...(await Promise.all(part.map((file) => readFile(file, 'utf8').catch(() => undefined)))))
  }
  return texts
}

function readNow(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}

/** Reads a packed-refs file: `<oid> <name>` lines, a peeled id on a `^` line after a tag. */
export function parsePackedRefs(text: string): Map<string, Ref> {
  const refs = new Map<string, Ref>()
  let last: Ref | undefined
  for (const line of text.split('\n')) {
    if (line.startsWith('^') && last) {
      refs.set(last.name, { ...last, peeled: line.slice(1) })
    } else if (/^[0-9a-f]{40}/.test(line)) {
      const space = line.indexOf(' ')
      last = { oid: line.slice(0, space), name: line.slice(space + 1) }
      refs.set(last.name, last)
    }
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
