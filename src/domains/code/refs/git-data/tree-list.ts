import { LRUCache } from 'lru-cache'
import type { GitRepo } from '../../../../core/git/index.ts'
import { DomainError } from '../../../../core/platform/errors.ts'

export interface TreeItem {
  /** Relative to the listed tree. */
  readonly path: string
  readonly mode: string
  readonly type: string
  readonly oid: string
  /** Bytes of a blob, 0 for everything else. */
  readonly size: number
}

type Listed = Omit<TreeItem, 'size'>

interface TreePage {
  readonly items: readonly TreeItem[]
  /**
   * The number of all entries. NOTE: a few trees that contain each other can have billions: capped at MAX_SAFE_INTEGER.
   */
  readonly total: number
}

interface TreeLists {
  /** Entries in git's order, from `start` inclusive to `end` exclusive; `recursive` descends into directories. */
  list(
    git: GitRepo,
    tree: string,
    query: { readonly recursive: boolean; readonly start: number; readonly end: number },
  ): Promise<TreePage>
}

const MAX_CACHED_BYTES = 24 * 1024 * 1024
const ITEM_BYTES = 260

/** Longer lists are not cached: only the requested part is read. */
const MAX_CACHED_ITEMS = 60_000
/** The maximum depth of a tree, as in git. */
const MAX_DEPTH = 2_048
/** The maximum length of a directory's path in characters, twice the limit of common systems. */
const MAX_PATH = 8_192

/** Trees never change, so whole lists and the sizes of listed blobs are cached by tree id. */
export function createTreeLists(): TreeLists {
  const lists = new LRUCache<string, readonly Listed[]>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: (items) => 200 + items.length * ITEM_BYTES,
  })
  const totals = new LRUCache<string, number>({ max: 2_000 })
  const sized = new WeakMap<Listed, TreeItem>()

  async function withSize(git: GitRepo, item: Listed): Promise<TreeItem> {
    const cached = sized.get(item)
    if (cached) return cached
    const size = item.type === 'blob' ? (await git.objects.info(item.oid)).size : 0
    const made = { ...item, size }
    sized.set(item, made)
    return made
  }

  async function listEntries(
    git: GitRepo,
    tree: string,
    { recursive, start, end }: { recursive: boolean; start: number; end: number },
  ): Promise<{ items: readonly Listed[]; total: number }> {
    const key = `${git.storage} ${tree} ${recursive}`
    const cached = lists.get(key)
    if (cached) return { items: cached.slice(start, end), total: cached.length }
    const counter = recursive ? new EntryCounter(git) : undefined
    const total =
      counter === undefined
        ? (await git.objects.tree(tree)).length
        : (totals.get(key) ?? (await counter.countOf(tree, 0)))
    totals.set(key, total)
    const isWhole = total <= MAX_CACHED_ITEMS
    const walk: Walk = { git, counter, skip: isWhole ? 0 : start, items: [], limit: isWhole ? total : end - start }
    await collect(walk, tree, '')
    if (!isWhole) return { items: walk.items, total }
    lists.set(key, walk.items)
    return { items: walk.items.slice(start, end), total }
  }

  return {
    async list(git, tree, query) {
      const { items, total } = await listEntries(git, tree, query)
      return { items: await Promise.all(items.map((item) => withSize(git, item))), total }
    },
  }
}

/** Counts the entries below trees, each tree once. */
class EntryCounter {
  readonly #git: GitRepo
  readonly #counts = new Map<string, Promise<number>>()

  constructor(git: GitRepo) {
    this.#git = git
  }

  countOf(tree: string, depth: number): Promise<number> {
    const cached = this.#counts.get(tree) ?? this.#count(tree, depth)
    this.#counts.set(tree, cached)
    return cached
  }

  async #count(tree: string, depth: number): Promise<number> {
    if (depth > MAX_DEPTH) throw new DomainError('too-large', 'the tree is nested too deep')
    const entries = await this.#git.objects.tree(tree)
    const below = await Promise.all(
      entries.filter(({ type }) => type === 'tree').map(({ oid }) => this.countOf(oid, depth + 1)),
    )
    return Math.min(Number.MAX_SAFE_INTEGER, entries.length + below.reduce((sum, count) => sum + count, 0))
  }
}

interface Walk {
  readonly git: GitRepo
  /** If undefined, directories are not entered. */
  readonly counter: EntryCounter | undefined
  /** The number of entries still to skip. */
  skip: number
  readonly items: Listed[]
  readonly limit: number
}

/** NOTE: sequential reads are fast enough: counting has already loaded the trees into the object cache. */
async function collect(walk: Walk, tree: string, base: string): Promise<void> {
  if (base.length > MAX_PATH) throw new DomainError('too-large', 'the tree has paths that are too long to be listed')
  for (const entry of await walk.git.objects.tree(tree)) {
    if (walk.items.length >= walk.limit) return
    if (walk.skip > 0) walk.skip--
    else walk.items.push({ path: base + entry.name, mode: entry.mode, type: entry.type, oid: entry.oid })
    if (walk.counter === undefined || entry.type !== 'tree') continue
    const below = walk.skip > 0 ? await walk.counter.countOf(entry.oid, 0) : 0
    if (below > 0 && walk.skip >= below) walk.skip -= below
    else await collect(walk, entry.oid, `${base}${entry.name}/`)
  }
}
