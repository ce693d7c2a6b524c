import { chmod, mkdir, readdir, rename, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { randomHex } from '../../platform/crypto.ts'
import { removeTree, syncDirectory } from '../disk/durable.ts'
import type { GitRepo } from '../repo.ts'

/** Objects of one push, beside the repo's own until the push is accepted. */
export interface Quarantine {
  /** Variables under which git reads the new objects and those of the repo. */
  readonly env: Readonly<Record<string, string>>
  /** Moves all objects into the repo, durably. */
  migrate(): Promise<void>
  /** Removes whatever is left. */
  remove(): Promise<void>
}

/** NOTE: the prefix is git's own, so that `git prune` and maintenance know what a crash left there. */
export const QUARANTINE_PREFIX = 'tmp_objdir-incoming-'

export async function createQuarantine(repo: GitRepo): Promise<Quarantine> {
  const objects = join(repo.path, 'objects')
  const path = join(objects, QUARANTINE_PREFIX + randomHex(8))
  await mkdir(join(path, 'pack'), { recursive: true })
  return {
    env: { GIT_OBJECT_DIRECTORY: path, GIT_ALTERNATE_OBJECT_DIRECTORIES: quotePath(objects), GIT_QUARANTINE_PATH: path },
    migrate: () => migrate(path, objects),
    remove: () => removeTree(path),
  }
}

/** Alternates are separated by colons; a path in double quotes is read as it is (git(1)). */
function quotePath(path: string): string {
  return /[:"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, '\\$&')}"` : path
}

async function migrate(from: string, to: string): Promise<void> {
  const folders = await readdir(from)
  const touched = await Promise.all(folders.map((folder) => migrateFolder(join(from, folder), join(to, folder))))
  const changed = touched.flat()
  if (changed.length === 0) return
  for (const folder of changed) await syncDirectory(folder)
  await syncDirectory(to)
}

/** Packs appear with their index last: a reader never sees an index without its pack. */
const RANK: Readonly<Record<string, number>> = { '.keep': 0, '.pack': 1, '.rev': 2, '.idx': 4 }
const rank = (name: string): number => RANK[name.slice(name.lastIndexOf('.'))] ?? 3

async function migrateFolder(from: string, to: string): Promise<string[]> {
  const names = (await readdir(from)).filter((name) => !name.startsWith('tmp_')).sort((a, b) => rank(a) - rank(b))
  if (names.length === 0) return []
  await mkdir(to, { recursive: true })
  for (const name of names) {
    const target = join(to, name)
    await chmod(join(from, name), 0o444)
    await rename(join(from, name), target)
  }
  await rmdir(from).catch(() => {})
  return [to]
}

/** Removes what crashed pushes left in a repo. Only when no push is running on it. */
export async function removeStaleQuarantines(repo: GitRepo): Promise<number> {
  const objects = join(repo.path, 'objects')
  const stale = (await readdir(objects)).filter((name) => name.startsWith(QUARANTINE_PREFIX))
  for (const name of stale) await removeTree(join(objects, name))
  return stale.length
}
