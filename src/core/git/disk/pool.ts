import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { linkOnce, syncDirectory, writeSynced } from '../../platform/files/durable.ts'
import type { KeyedMutex } from '../../platform/concurrency/lock-table.ts'
import type { ObjectFormat } from '../engine/object/format.ts'
import type { Ref } from '../engine/refs/ref-store.ts'
import { createOnDisk, existsOnDisk, writePackedRefs } from './create.ts'
import type { Layout } from './layout.ts'

/**
 * Forks share objects through a pool: an object store whose files are hard links to the source's files at the time of
 * the fork. The source never reads from the pool, and the pool never drops an object; it is removed after its last
 * fork. So removing or repacking one of them cannot harm another. A fork of a fork joins the same pool.
 * NOTE: callers that know an object's id can read it through every fork of the pool.
 */
export interface ForkRequest {
  readonly from: string
  readonly to: string
  readonly objectFormat: ObjectFormat
  readonly defaultBranch: string
  /** Refs of the fork, read from the source before the call. */
  readonly refs: readonly Ref[]
}

export async function forkOnDisk(layout: Layout, mutex: KeyedMutex, request: ForkRequest): Promise<void> {
  const source = layout.repo(request.from)
  const pool = (await poolOf(source)) ?? layout.pool(request.from)
  await mutex.run(pool, async () => {
    if (!(await existsOnDisk(pool))) await createPool(layout, pool, request.objectFormat)
    await shareObjects(join(source, 'objects'), join(pool, 'objects'))
    await writeFile(join(pool, 'members', memberName(request.to)), '')
    await syncDirectory(join(pool, 'members'))
  })
  const alternates = `${relative(join(layout.repo(request.to), 'objects'), join(pool, 'objects'))}\n`
  await createOnDisk(layout, request.to, request, async (path) => {
    await writeSynced(join(path, 'objects/info/alternates'), alternates)
    await writePackedRefs(path, request.refs.map((ref) => `${ref.oid} ${ref.name}\n`).join(''))
    await syncDirectory(join(path, 'objects/info'))
  })
}

const memberName = (storage: string): string => storage.replace('/', '-')
const memberStorage = (name: string): string => name.replace('-', '/')

/** Returns the pool that a repository borrows from; undefined if it does not borrow. */
export async function poolOf(repoPath: string): Promise<string | undefined> {
  const objects = join(repoPath, 'objects')
  const text = await readFile(join(objects, 'info/alternates'), 'utf8').catch(() => '')
  const line = text.split('\n').find((candidate) => candidate !== '')
  return line === undefined ? undefined : dirname(join(objects, line))
}

async function createPool(layout: Layout, pool: string, objectFormat: ObjectFormat): Promise<void> {
  const aside: Layout = { ...layout, repo: () => pool }
  await createOnDisk(aside, '', { objectFormat, defaultBranch: 'pool' }, async (path) => {
    await mkdir(join(path, 'members'))
  })
}

const ATTEMPTS = 5

/**
 * Links all objects of the source into the pool. Loose objects before packs: an object packed in between is then in the
 * new pack.
 */
async function shareObjects(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await shareLoose(from, to)
      await sharePacks(join(from, 'pack'), join(to, 'pack'))
      return
    } catch (error) {
      // A repack replaced a file between listing and linking; the new pack has its objects.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error
    }
  }
}

const LINKS_AT_ONCE = 64

async function linkAll(names: readonly string[], from: string, to: string): Promise<number> {
  let made = 0
  for (let at = 0; at < names.length; at += LINKS_AT_ONCE) {
    const part = names.slice(at, at + LINKS_AT_ONCE)
    const linked = await Promise.all(part.map((name) => linkOnce(join(from, name), join(to, name))))
    made += linked.filter(Boolean).length
  }
  return made
}

async function shareLoose(from: string, to: string): Promise<void> {
  const folders = (await readdir(from)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  for (const folder of folders) {
    const names = (await readdir(join(from, folder))).filter((name) => /^[0-9a-f]+$/.test(name))
    if ((await linkAll(names, join(from, folder), join(to, folder))) > 0) await syncDirectory(join(to, folder))
  }
  if (folders.length > 0) await syncDirectory(to)
}

async function sharePacks(from: string, to: string): Promise<void> {
  const names = await readdir(from)
  // Bitmaps and multi-pack indexes describe one directory's packs and are not copied; the times of cruft packs are.
  const data = names.filter((name) => /^pack-.*\.(?:pack|rev|mtimes)$/.test(name))
  const indexes = names.filter((name) => /^pack-.*\.idx$/.test(name))
  await linkAll(data, from, to)
  await linkAll(indexes, from, to)
  await syncDirectory(to)
}

const MEMBER_GRACE_MS = 60 * 60 * 1000

/**
 * Removes deleted forks from their pools and moves empty pools to the trash; returns how many. `now` is wall-clock
 * time.
 */
export async function removeEmptyPools(layout: Layout, mutex: KeyedMutex, now: number): Promise<number> {
  let removed = 0
  for (const pool of await listPools(layout)) {
    await mutex.run(pool, async () => {
      if ((await deleteStaleMembers(layout, pool, now)) > 0) return
      await rename(pool, layout.trashPath())
      removed++
    })
  }
  return removed
}

export async function listPools(layout: Layout): Promise<string[]> {
  const folders = await readdir(layout.pools)
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(layout.pools, folder))).map((name) => join(layout.pools, folder, name)),
    ),
  )
  return names.flat()
}

/** Returns the remaining members. One that was added recently may not have its repository yet. */
async function deleteStaleMembers(layout: Layout, pool: string, now: number): Promise<number> {
  const folder = join(pool, 'members')
  let remaining = 0
  for (const name of await readdir(folder)) {
    const young = now - (await stat(join(folder, name))).mtimeMs < MEMBER_GRACE_MS
    if (young || (await poolOf(layout.repo(memberStorage(name)))) === pool) remaining++
    else await rm(join(folder, name), { force: true })
  }
  return remaining
}

/** Called after a fork was removed. After a crash before this call, `removeEmptyPools` removes the stale member. */
export async function leavePool(pool: string, storage: string): Promise<void> {
  await rm(join(pool, 'members', memberName(storage)), { force: true })
}
