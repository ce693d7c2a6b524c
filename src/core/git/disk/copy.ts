import { join } from 'node:path'
import { type Copied, copyTree } from '../../platform/files/copy-tree.ts'
import { removeTree } from '../../platform/files/durable.ts'
import type { Layout } from './layout.ts'
import { listOnDisk } from './list.ts'
import { listPools } from './pool.ts'

/** Files that only speed up reads and must match the packs exactly; maintenance writes them again. */
const DERIVED = /^bundle(?:$|\/)|^objects\/(?:pack\/multi-pack-index|info\/commit-graph)/
const TEMPORARY = /\.lock$|^objects\/(?:incoming|tmp)|\/tmp_/
const OBJECT = /^objects\/(?:[0-9a-f]{2}\/|pack\/)/

/**
 * Copies every repository and pool into another root of the same layout while pushes continue. Refs are copied before
 * objects, so that every copied ref finds its objects. A second call copies only what has changed.
 */
export async function copyRepos(layout: Layout, root: string, done?: (storage: string) => void): Promise<Copied> {
  let files = 0
  let bytes = 0
  const copy = async (from: string, to: string): Promise<void> => {
    const copied = await copyRepo(from, to)
    files += copied.files
    bytes += copied.bytes
  }
  for await (const folder of listOnDisk(layout)) {
    for (const { storage } of folder) {
      await copy(layout.repo(storage), join(root, 'repos', `${storage}.git`))
      done?.(storage)
    }
  }
  // Pools after repositories: an object that a repository borrows was in the pool before.
  for (const pool of await listPools(layout)) await copy(pool, join(root, 'pools', pool.slice(layout.pools.length + 1)))
  return { files, bytes }
}

/**
 * NOTE: objects are copied twice: the second round finds a pack that was repacked under a new name during the first.
 */
async function copyRepo(from: string, to: string): Promise<Copied> {
  await removeTree(join(to, 'refs'))
  const skip = (path: string): boolean => TEMPORARY.test(path) || DERIVED.test(path)
  const isImmutable = (path: string): boolean => OBJECT.test(path)
  const plain = await copyTree(from, to, { skip: (path) => path === 'objects' || skip(path) })
  const first = await copyTree(from, to, {
    skip: (path) => !/^(?:objects(?:$|\/))/.test(path) || skip(path),
    isImmutable,
  })
  const second = await copyTree(from, to, {
    skip: (path) => !/^(?:objects(?:$|\/))/.test(path) || skip(path),
    isImmutable,
  })
  return { files: plain.files + first.files + second.files, bytes: plain.bytes + first.bytes + second.bytes }
}
