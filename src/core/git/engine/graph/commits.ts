import type { PathKey, CommitGraph, SkipBounds } from './commit-graph.ts'
import type { Filter } from './graph-layer.ts'
import type { ObjectStore } from '../packs/object-store.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'

/**
 * Maximum number of commits outside the graph, those since the last maintenance, that are read as objects. Git handles
 * more.
 */
const MAX_READ = 200_000
/** Maximum number of them that an ancestry query reads; beyond it git is faster. */
const MAX_ORDERED = 5_000
/** Bytes of memory of a commit that was read. */
const READ_BYTES = 400

interface ReadCommit {
  readonly id: Buffer
  readonly tree: Buffer
  readonly date: number
  readonly parentIds: readonly Buffer[]
  parents: readonly number[] | undefined
  generation: number
}

/** The commits of one repository by position: first the graph's, then others in the order they are found. */
export class Commits {
  readonly #graph: CommitGraph | undefined
  readonly #first: number
  readonly #store: ObjectStore
  readonly #idBytes: number
  readonly #read: ReadCommit[] = []
  readonly #positions = new Map<string, number>()
  /** True once ordering stopped because too many commits are outside the graph. */
  #hasTooMany = false

  constructor(graph: CommitGraph | undefined, store: ObjectStore, idBytes: number) {
    this.#graph = graph
    this.#first = graph?.count ?? 0
    this.#store = store
    this.#idBytes = idBytes
  }

  /** The number of positions; grows when commits outside the graph are found. */
  get count(): number {
    return this.#first + this.#read.length
  }

  get bytes(): number {
    return (this.#graph?.bytes ?? 0) + this.#read.length * READ_BYTES
  }

  /** The number of commits with equal positions in both, because both graphs begin with the same files. */
  sharedWith(other: Commits): number {
    return this.#graph && other.#graph ? this.#graph.sharedWith(other.#graph) : 0
  }

  findInGraph(id: Buffer): number | undefined {
    return this.#graph?.find(id)
  }

  /** The position of a commit. Throws UnsupportedError if it cannot be read. */
  find(id: Buffer): number {
    const known = this.#graph?.find(id)
    if (known !== undefined) return known
    const key = id.toString('latin1')
    const met = this.#positions.get(key)
    if (met !== undefined) return met
    if (this.#read.length === MAX_READ) throw new UnsupportedError('too many commits are not in the commit-graph')
    const position = this.count
    this.#read.push(parse(id, this.#store.read(id), this.#idBytes))
    this.#positions.set(key, position)
    return position
  }

  id(position: number): string {
    return this.rawId(position).toString('hex')
  }

  /** Returns a view into the graph or into the commits that were read. */
  rawId(position: number): Buffer {
    return position < this.#first ? this.#graph!.id(position) : this.#one(position).id
  }

  tree(position: number): Buffer {
    return position < this.#first ? this.#graph!.tree(position) : this.#one(position).tree
  }

  date(position: number): number {
    return position < this.#first ? this.#graph!.date(position) : this.#one(position).date
  }

  parents(position: number): readonly number[] {
    if (position < this.#first) return this.#graph!.parents(position)
    const commit = this.#one(position)
    return (commit.parents ??= commit.parentIds.map((id) => this.find(id)))
  }

  filter(position: number): Filter | undefined {
    return position < this.#first ? this.#graph!.filter(position) : undefined
  }

  /** See `CommitGraph`; a commit outside the graph is not skipped. */
  skipUnchanged(position: number, keys: readonly PathKey[], bounds: SkipBounds): number {
    return position < this.#first ? this.#graph!.skipUnchanged(position, keys, bounds) : position
  }

  /** A number greater than that of every ancestor: the corrected commit date, or the topological level. */
  generation(position: number): number {
    if (this.#graph && !this.#graph.hasGenerations) throw new UnsupportedError('the commit-graph has no generations')
    if (position < this.#first) return this.#graph!.generation(position)
    if (this.#one(position).generation === 0) this.#order(position)
    return this.#one(position).generation
  }

  #one(position: number): ReadCommit {
    return this.#read[position - this.#first]!
  }

  /** Assigns a generation to a commit outside the graph and to its ancestors there, ancestors first. */
  #order(position: number): void {
    const stack = [position]
    let steps = 0
    while (stack.length > 0) {
      if (this.#hasTooMany || ++steps > MAX_ORDERED * 2) {
        this.#hasTooMany = true
        throw new UnsupportedError('too many commits are not in the commit-graph')
      }
      const commit = this.#one(stack.at(-1)!)
      const parents = this.parents(stack.at(-1)!)
      const unknown = parents.filter((parent) => parent >= this.#first && this.#one(parent).generation === 0)
      if (unknown.length > 0 && commit.generation === 0) {
        stack.push(...unknown)
        continue
      }
      stack.pop()
      const highest = parents.reduce((most, parent) => Math.max(most, this.generation(parent)), 0)
      commit.generation = Math.max(commit.date, highest + 1)
    }
  }
}

/** `tree <id>\n`, `parent <id>\n` any number of times, `author ...\n`, `committer ... <...> seconds zone\n`. */
function parse(id: Buffer, content: Buffer, idBytes: number): ReadCommit {
  const digits = idBytes * 2
  if (content.toString('latin1', 0, 5) !== 'tree ') throw new UnsupportedError('not a commit')
  const tree = Buffer.from(content.toString('latin1', 5, 5 + digits), 'hex')
  const parentIds: Buffer[] = []
  let at = 6 + digits
  while (content.toString('latin1', at, at + 7) === 'parent ') {
    parentIds.push(Buffer.from(content.toString('latin1', at + 7, at + 7 + digits), 'hex'))
    at += 8 + digits
  }
  if (tree.length !== idBytes || parentIds.some((parent) => parent.length !== idBytes))
    throw new UnsupportedError('a damaged commit')
  return { id: Buffer.from(id), tree, date: committerTime(content, at), parentIds, parents: undefined, generation: 0 }
}

/** Parses as git does: 0 if the two lines do not follow the parents. */
function committerTime(content: Buffer, at: number): number {
  if (content.toString('latin1', at, at + 6) !== 'author') return 0
  const next = content.indexOf('\n', at) + 1
  if (next === 0 || content.toString('latin1', next, next + 9) !== 'committer') return 0
  const line = content.toString('latin1', next, Math.min(next + 4096, endOf(content, next)))
  const match = /^[^>]*>\s*\+?(\d{1,15})(?!\d)/.exec(line)
  if (match) return Number(match[1])
  if (/^[^>]*>\s*[-+]?\d/.test(line)) throw new UnsupportedError('a commit with an unusual date')
  return 0
}

function endOf(content: Buffer, at: number): number {
  const newline = content.indexOf('\n', at)
  return newline === -1 ? content.length : newline
}
