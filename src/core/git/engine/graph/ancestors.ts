import { PositionFlags, firstOf, logOf, type LogRange } from './path-log.ts'
import { PositionQueue, type RepoView, type WalkResult, type Walk } from './repo-view.ts'
import { UnsupportedError } from '../packs/unsupported-error.ts'
import { type LastChanges, lastChanges } from './directory-walk.ts'

const LEFT = 1
const RIGHT = 2
const BOTH = LEFT | RIGHT
/** Set for an ancestor of a common ancestor, which cannot be a merge base. */
const STALE = 4

const STEPS_AT_ONCE = 256

const find = (view: RepoView, oid: string): number => view.commits.find(Buffer.from(oid, 'hex'))

/** Returns the tips that the history of `base` contains. */
function* within(view: RepoView, base: string, tips: readonly string[]): Walk<string[]> {
  const { commits } = view
  const positions = tips.map((oid) => find(view, oid))
  const lowest = positions.reduce((least, tip) => Math.min(least, commits.generation(tip)), Number.POSITIVE_INFINITY)
  const wanted = new Set(positions)
  const stack = [find(view, base)]
  const seen = new PositionFlags()
  for (let step = 1; stack.length > 0 && wanted.size > 0; step++) {
    const position = stack.pop()!
    wanted.delete(position)
    for (const parent of commits.parents(position)) {
      // An ancestor has a lower generation, so nothing below the lowest tip leads to a tip.
      if (commits.generation(parent) >= lowest && seen.enter(parent)) stack.push(parent)
    }
    if (step % STEPS_AT_ONCE === 0) yield 'working'
  }
  return tips.filter((_, index) => !wanted.has(positions[index]!))
}

/** The best common ancestors in the order of `git merge-base --all`; empty for unrelated histories. */
function* mergeBases(view: RepoView, left: string, right: string): Walk<string[]> {
  const { commits } = view
  const walk = new SideWalk(view)
  walk.add(find(view, left), LEFT)
  walk.add(find(view, right), RIGHT)
  const bases: number[] = []
  for (let step = 1; walk.hasUseful; step++) {
    const { position, flags } = walk.pop()
    if ((flags & (BOTH | STALE)) === BOTH) bases.push(position)
    walk.addParents(position, (flags & BOTH) === BOTH ? flags | STALE : flags)
    if (step % STEPS_AT_ONCE === 0) yield 'working'
  }
  if (new Set(bases.map((base) => commits.date(base))).size < bases.length)
    throw new UnsupportedError('several merge bases of the same time')
  return bases.toSorted((a, b) => commits.date(b) - commits.date(a)).map((base) => commits.id(base))
}

interface DifferenceResult extends WalkResult {
  readonly commits: Int32Array
}

/** The commits that `tip` has and all of `not` lack, in git log's order. */
function* difference(view: RepoView, tip: string, not: readonly string[]): Walk<Int32Array> {
  const { commits } = yield* view.shared<DifferenceResult>({
    key: `difference ${tip} ${not.join(' ')}`,
    isAnswer: () => true,
    *compute() {
      const found = yield* membersOf(view, tip, not)
      const ordered = byDate(view, find(view, tip), found)
      return { commits: ordered, bytes: ordered.byteLength }
    },
  })
  return commits
}

function* membersOf(view: RepoView, tip: string, not: readonly string[]): Walk<Set<number>> {
  const walk = new SideWalk(view)
  for (const oid of not) walk.add(find(view, oid), RIGHT | STALE)
  walk.add(find(view, tip), LEFT)
  const found = new Set<number>()
  for (let step = 1; walk.hasUseful; step++) {
    const { position, flags } = walk.pop()
    if (flags === LEFT) found.add(position)
    walk.addParents(position, flags)
    if (step % STEPS_AT_ONCE === 0) yield 'working'
  }
  return found
}

/** Sorts a set of commits in git log's order. The set must contain every commit between two of its members. */
function byDate({ commits }: RepoView, tip: number, members: ReadonlySet<number>): Int32Array {
  const queue = new PositionQueue((position) => commits.date(position))
  const seen = new PositionFlags()
  const ordered: number[] = []
  const add = (position: number): void => {
    if (members.has(position) && seen.enter(position)) queue.push(position)
  }
  for (add(tip); queue.size > 0;) {
    const position = queue.pop()!
    ordered.push(position)
    for (const parent of commits.parents(position)) add(parent)
  }
  return Int32Array.from(ordered)
}

/**
 * Walks from several commits at once, descendants before ancestors, and marks commits with the sides that reach them.
 */
class SideWalk {
  readonly #view: RepoView
  readonly #queue: PositionQueue
  readonly #flags = new PositionFlags()
  /** Number of commits in the queue that are not stale. */
  #useful = 0

  constructor(view: RepoView) {
    this.#view = view
    this.#queue = new PositionQueue((position) => view.commits.generation(position))
  }

  /** False if only stale commits remain, so that nothing more can be found. */
  get hasUseful(): boolean {
    return this.#useful > 0
  }

  add(position: number, flags: number): void {
    const before = this.#flags.get(position)
    const after = before | flags
    if (before === 0) this.#queue.push(position)
    const wasUseful = before !== 0 && (before & STALE) === 0
    const isUseful = (after & STALE) === 0
    if (wasUseful !== isUseful) this.#useful += isUseful ? 1 : -1
    this.#flags.set(position, after)
  }

  /** NOTE: pops by generation, so every descendant of the commit has been popped and its flags are final. */
  pop(): { readonly position: number; readonly flags: number } {
    const position = this.#queue.pop()!
    const flags = this.#flags.get(position)
    if ((flags & STALE) === 0) this.#useful--
    return { position, flags }
  }

  addParents(position: number, flags: number): void {
    for (const parent of this.#view.commits.parents(position)) this.add(parent, flags)
  }
}

interface Window {
  readonly skip: number
  readonly limit: number
}

interface Page {
  /** The number of all commits, not only those on the page. */
  readonly total: number
  readonly commits: readonly string[]
}

/** Queries about the history of one repository and their answers. Ids are full and hexadecimal. */
export interface GraphQueries {
  /** The last change of every entry of a directory. The path has no leading or trailing slash. */
  readonly lastChanges: {
    readonly query: { readonly commit: string; readonly directory: string }
    readonly answer: LastChanges
  }
  /** The newest commit of the range, or an empty string. */
  readonly first: { readonly query: LogRange; readonly answer: string }
  readonly log: { readonly query: LogRange & Window; readonly answer: Page }
  /** Commits that `tip` has and all of `not` lack. */
  readonly difference: {
    readonly query: Window & { readonly tip: string; readonly not: readonly string[] }
    readonly answer: Page
  }
  /** Tips that the history of `base` contains. */
  readonly within: {
    readonly query: { readonly base: string; readonly tips: readonly string[] }
    readonly answer: readonly string[]
  }
  /** Newest first; empty for unrelated histories. */
  readonly mergeBases: {
    readonly query: { readonly left: string; readonly right: string }
    readonly answer: readonly string[]
  }
}

type GraphQueryKind = keyof GraphQueries
type Answering<K extends GraphQueryKind> = (
  view: RepoView,
  query: GraphQueries[K]['query'],
) => Walk<GraphQueries[K]['answer']>

const ANSWERS: { readonly [K in GraphQueryKind]: Answering<K> } = {
  lastChanges: (view, { commit, directory }) => lastChanges(view, commit, directory),
  *first(view, range) {
    return (yield* firstOf(view, range)) ?? ''
  },
  *log(view, { skip, limit, ...range }) {
    return page(view, yield* logOf(view, range), { skip, limit })
  },
  *difference(view, { skip, limit, tip, not }) {
    return page(view, yield* difference(view, tip, not), { skip, limit })
  },
  within: (view, { base, tips }) => within(view, base, tips),
  mergeBases: (view, { left, right }) => mergeBases(view, left, right),
}

function page({ commits }: RepoView, all: Int32Array, { skip, limit }: Window): Page {
  const shown = all.subarray(skip, skip + limit)
  return { total: all.length, commits: Array.from(shown, (position) => commits.id(position)) }
}

/** Computes an answer in steps, so that several walks can alternate. */
export function answer<K extends GraphQueryKind>(
  view: RepoView,
  kind: K,
  query: GraphQueries[K]['query'],
): Walk<GraphQueries[K]['answer']> {
  return ANSWERS[kind](view, query)
}
