import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { settleAll } from '../../platform/concurrency/settle-all.ts'
import { linkOnce, removeTree, syncDirectory, syncFile } from '../../platform/files/durable.ts'

/** Objects that are not part of the repository yet: only git processes with `env` read them. */
export interface Quarantine {
  /** An objects directory inside the repository's own, so that moving the objects is a rename. */
  readonly path: string
  /** Environment of git processes that write into the quarantine and read through it into the repository. */
  readonly env: Readonly<Record<string, string>>
  /** Moves the objects into the repository, durably. Idempotent after a crash: objects are only ever added. */
  migrate(): Promise<void>
  /** Deletes the quarantine and its objects. A no-op after `migrate`. */
  discard(): Promise<void>
}

/** Git's own prefix of temporary object directories, which `git prune` deletes too. */
const PREFIX = 'tmp_objdir-'

/**
 * Creates an empty quarantine. Its path stays in `active`, the quarantines in use by this process, until it is migrated
 * or discarded; `deleteStaleQuarantines` skips those.
 */
export async function createQuarantine(repoPath: string, active: Set<string>): Promise<Quarantine> {
  const objects = join(repoPath, 'objects')
  const path = join(objects, `${PREFIX}${randomBytes(8).toString('hex')}`)
  const discard = async (): Promise<void> => {
    if (!active.has(path)) return
    await removeTree(path)
    active.delete(path)
  }
  await mkdir(path)
  active.add(path)
  try {
    await settleAll([mkdir(join(path, 'pack')), mkdir(join(path, 'info'))])
    await writeFile(join(path, 'info', 'alternates'), '..\n') // relative: the data directory may be moved
  } catch (error) {
    await discard()
    throw error
  }
  return {
    path,
    env: { GIT_OBJECT_DIRECTORY: path, GIT_QUARANTINE_PATH: path },
    async migrate() {
      await migratePacks(join(path, 'pack'), join(objects, 'pack'))
      await migrateLoose(path, objects)
      // The files have a second name by now. Maintenance deletes the remains.
      await discard().catch(() => active.delete(path))
    },
    discard,
  }
}

/** An index makes its pack visible, so the pack's other files are moved first. */
async function migratePacks(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => name.startsWith('pack-') && !name.endsWith('.lock'))
  const [indexes, others] = [
    names.filter((name) => name.endsWith('.idx')),
    names.filter((name) => !name.endsWith('.idx')),
  ]
  for (const group of [others, indexes]) {
    if (group.length === 0) continue
    await Promise.all(group.map((name) => syncFile(join(from, name))))
    for (const name of group) await moveInto(join(from, name), join(to, name))
    await syncDirectory(to)
  }
}

async function migrateLoose(from: string, to: string): Promise<void> {
  const folders = (await readdir(from)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  await settleAll(folders.map((folder) => migrateFolder(join(from, folder), join(to, folder))))
  // NOTE: also without a new folder: another push may have created one and not synced it yet.
  if (folders.length > 0) await Promise.all([to, ...folders.map((folder) => join(to, folder))].map(syncDirectory))
}

async function migrateFolder(from: string, to: string): Promise<void> {
  const names = (await readdir(from)).filter((name) => /^[0-9a-f]+$/.test(name))
  await mkdir(to, { recursive: true })
  await settleAll(
    names.map(async (name) => {
      await syncFile(join(from, name))
      await moveInto(join(from, name), join(to, name))
    }),
  )
}

/** Never replaces a file: the same name means the same object. */
async function moveInto(from: string, to: string): Promise<void> {
  try {
    await linkOnce(from, to)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'EMLINK') throw error
    await rename(from, to) // a file system without hard links
  }
}

/**
 * Deletes quarantines and partial packs, objects and graphs of killed processes whose last change is before `olderThan`
 * (wall-clock milliseconds) and that are not in `active`. Returns how many it deleted.
 */
export async function deleteStaleQuarantines(
  repoPath: string,
  active: ReadonlySet<string>,
  olderThan: number,
): Promise<number> {
  const objects = join(repoPath, 'objects')
  const top = await listing(objects)
  const folders = ['.', 'pack', 'info', 'info/commit-graphs', ...top.filter((name) => /^[0-9a-f]{2}$/.test(name))].map(
    (name) => join(objects, name),
  )
  const names = await Promise.all(
    folders.map(async (folder) =>
      (await listing(folder)).filter((name) => /^(?:tmp_|\.tmp-)/.test(name)).map((name) => join(folder, name)),
    ),
  )
  const candidates = names.flat()
  let deleted = 0
  for (const path of candidates) {
    const info = await stat(path).catch(() => undefined)
    if (!info || active.has(path) || info.mtimeMs >= olderThan || basename(path) === 'pack') continue
    await removeTree(path)
    deleted++
  }
  return deleted
}

const listing = (path: string): Promise<string[]> => readdir(path).catch(() => [])
