import { LRUCache } from 'lru-cache'
import type { GitRepo } from '../../git/index.ts'

export interface TreeItem {
  /** From the root of the tree that was asked for. */
  readonly path: string
  readonly mode: string
  readonly type: string
  readonly oid: string
  /** Bytes of a blob, 0 for everything else. */
  readonly size: number
}

type Listed = Omit<TreeItem, 'size'>

export interface TreeLists {
  /** All entries in git's order; with `recursive` directories are followed by what is in them. */
  entries(git: GitRepo, tree: string, recursive: boolean): Promise<readonly Listed[]>
  withSizes(git: GitRepo, items: readonly Listed[]): Promise<TreeItem[]>
}

const MAX_CACHED_BYTES = 24 * 1024 * 1024
const ITEM_BYTES = 260

/** Trees never change: lists of whole trees and sizes of pages are kept by id. */
export function createTreeLists(): TreeLists {
  const lists = new LRUCache<string, readonly Listed[]>({ maxSize: MAX_CACHED_BYTES, sizeCalculation: (items) => 200 + items.length * ITEM_BYTES })
  const sized = new WeakMap<Listed, TreeItem>()
  return {
    async entries(git, tree, recursive) {
      const key = `${git.storage} ${tree} ${recursive}`
      const known = lists.get(key)
      if (known) return known
      const items = await collect(git, tree, '', recursive)
      lists.set(key, items)
      return items
    },
    withSizes: (git, items) =>
      Promise.all(
        items.map(async (item) => {
          const known = sized.get(item)
          if (known) return known
          const size = item.type === 'blob' ? (await git.objects.info(item.oid)).size : 0
          const made = { ...item, size }
          sized.set(item, made)
          return made
        }),
      ),
  }
}

async function collect(git: GitRepo, tree: string, base: string, recursive: boolean): Promise<Listed[]> {
  const entries = await git.objects.tree(tree)
  const parts = await Promise.all(
    entries.map(async (entry): Promise<Listed[]> => {
      const item = { path: base + entry.name, mode: entry.mode, type: entry.type, oid: entry.oid }
      return recursive && entry.type === 'tree' ? [item, ...(await collect(git, entry.oid, `${base}${entry.name}/`, true))] : [item]
    }),
  )
  return parts.flat()
}
