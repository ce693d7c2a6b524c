import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { linkOnce, syncDirectory, writeSynced } from '../../platform/files/durable.ts'
import type { KeyedMutex } from '../../platform/concurrency/lock-table.ts'
import type { ObjectFormat } from '../engine/object/format.ts'
import type { Ref } from '../engine/refs/ref-store.ts'
import { createOnDisk, existsOnDisk, writePackedRefs } from './create.ts'
import type { Layout } from './layout.ts'

/**
 * Forks share objects through a pool: an object store of its own whose files are hard links of the source's at the
 * moment of the fork. The source never reads from the pool, the pool never drops an object, and it is removed only when
 * its last fork is gone; so neither removing nor repacking any of them can harm another. A fork of a fork joins its
 * pool.
 * NOTE: within a pool an object can be read through every fork by callers that have its id.
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

/** The pool a repository borrows from; undefined for one that stands alone. */
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
 * Gives the pool everything the source has. Loose before packs: what is packed meanwhile is then found in the new pack.
 */
async function shareObjects(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await shareLoose(from, to)
      await sharePacks(join(from, 'pack'), join(to, 'pack'))
      return
    } catch (error) {
      // A repack replaced a file between listing and linking: its successor has the objects.
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
  // Bitmaps and multi-pack indexes belong to one directory's set of packs and stay behind; cruft times go along.
  const data = names.filter((name) => /^pack-.*\.(?:pack|rev|mtimes)$/.test(name))
  const indexes = names.filter((name) => /^pack-.*\.idx$/.test(name))
  await linkAll(data, from, to)
  await linkAll(indexes, from, to)
  await syncDirectory(to)
}

const MEMBER_GRACE_MS = 60 * 60 * 1000

/** Forgets forks that are gone and moves pools without any to the trash; returns how many. `now` is wall-clock. */
export async function removeEmptyPools(layout: Layout, mutex: KeyedMutex, now: number): Promise<number> {
  let removed = 0
  for (const pool of await listPools(layout)) {
    await mutex.run(pool, async () => {
      if ((await dropGone(layout, pool, now)) > 0) return
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

/** The members that remain. One that was just entered may still be on its way to its repository. */
async function dropGone(layout: Layout, pool: string, now: number): Promise<number> {
  const folder = join(pool, 'members')
  let remaining = 0
  for (const name of await readdir(folder)) {
    const young = now - (await stat(join(folder, name))).mtimeMs < MEMBER_GRACE_MS
    if (young || (await poolOf(layout.repo(memberStorage(name)))) === pool) remaining++
    else await rm(join(folder, name), { force: true })
  }
  return remaining
}

/** Called when a fork was removed. A crash before this leaves a name that `removeEmptyPools` finds out. */
export async function leavePool(pool: string, storage: string): Promise<void> {
  await rm(join(pool, 'members', memberName(storage)), { force: true })
}
