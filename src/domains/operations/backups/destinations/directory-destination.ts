import { createReadStream } from 'node:fs'
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { randomHex, sha256Hex } from '../../../../core/platform/crypto/crypto.ts'
import { syncDirectory } from '../../../../core/platform/files/durable.ts'
import { ifMissing } from '../../../../core/platform/files/missing.ts'

/** A file of a copy. */
export interface Stored {
  /** The parts are separated by slashes. */
  readonly name: string
  /** Bytes. */
  readonly size: number
}

/** The content of a file, and an identifier of this version of it. */
interface Versioned {
  readonly data: Buffer
  readonly version: string
}

/** A destination of copies. All functions throw while the destination is unavailable; writes throw when it is full. */
export interface Destination {
  /** Shown to operators: a directory, or a bucket with its prefix. */
  readonly label: string
  /** Writes atomically; durable when it resolves. Replaces an existing file of the name. */
  put(name: string, data: Uint8Array): Promise<void>
  /** Like `put`, for any length. `size`: the maximum number of bytes. */
  putStream(name: string, source: AsyncIterable<Uint8Array>, size: number): Promise<void>
  /** Undefined when the file does not exist. */
  get(name: string): Promise<Buffer | undefined>
  /** Like `get`, with the version for `replace`. */
  getVersion(name: string): Promise<Versioned | undefined>
  /**
   * Like `put`, but only if the file still has this version; undefined: only if it does not exist. Returns false
   * otherwise. NOTE: not every destination compares and writes atomically, so the caller must check again.
   */
  replace(name: string, data: Uint8Array, version: string | undefined): Promise<boolean>
  /** Like `get`, as a stream. */
  open(name: string): Promise<AsyncIterable<Uint8Array> | undefined>
  /** The files below a folder, whose name ends with a slash, sorted by name; only those after `after`. */
  list(folder: string, after?: string): AsyncIterable<Stored>
  /** The names of the direct subfolders, sorted, without slash. */
  folders(folder: string): Promise<string[]>
  /** Does nothing when the file does not exist. */
  remove(name: string): Promise<void>
  /** Deletes the remains of interrupted writes that began before this time (epoch milliseconds). */
  clean(before: number): Promise<void>
}

/** Names of temporary files, which a crash may leave; never listed. */
const TEMPORARY = /\.tmp-[0-9a-f]+$/

type Move = (from: string, to: string) => Promise<void>

/** Fails with EEXIST when the target exists, unless the file system does not support links. */
const moveToFree: Move = async (from, to) => {
  try {
    await link(from, to)
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    return rename(from, to)
  }
  await rm(from)
}
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

/** The directory must exist: creating it could fill the mount point of a disk that is not mounted. */
export function directoryDestination(path: string): Destination {
  const root = resolve(path)
  const at = (name: string): string => join(root, name)
  const store = async (name: string, source: AsyncIterable<Uint8Array>, move: Move): Promise<void> => {
    const target = at(name)
    const temporary = `${target}.tmp-${randomHex(6)}`
    const handle = await openInside(root, temporary)
    try {
      try {
        for await (const chunk of source) await handle.writeFile(chunk)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await move(temporary, target)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
    await syncDirectory(dirname(target))
  }
  const putStream = (name: string, source: AsyncIterable<Uint8Array>): Promise<void> => store(name, source, rename)
  const getVersion = async (name: string): Promise<Versioned | undefined> => {
    const data = await readFile(at(name)).catch(ifMissing(undefined))
    return data && { data, version: sha256Hex(data) }
  }
  return {
    label: root,
    putStream,
    put: (name, data) => putStream(name, only(data)),
    get: (name) => readFile(at(name)).catch(ifMissing(undefined)),
    getVersion,
    async replace(name, data, version) {
      if ((await getVersion(name))?.version !== version) return false
      try {
        await store(name, only(data), version === undefined ? moveToFree : rename)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
        throw error
      }
      return true
    },
    async open(name) {
      const found = await stat(at(name)).catch(ifMissing(undefined))
      return found && createReadStream(at(name))
    },
    list: (folder, after = '') => walk(root, folder.slice(0, -1), after),
    async folders(folder) {
      const entries = await readdir(at(folder), { withFileTypes: true }).catch(ifMissing([]))
      return entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .toSorted()
    },
    remove: (name) => rm(at(name), { force: true }),
    clean: (before) => clean(root, before),
  }
}

async function openInside(root: string, path: string): ReturnType<typeof open> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await stat(root)
  const first = await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  for (let made = dirname(path); first !== undefined && made.length > root.length; made = dirname(made))
    await syncDirectory(dirname(made))
  return open(path, 'wx', 0o600)
}

async function* walk(root: string, folder: string, after: string): AsyncGenerator<Stored, void, undefined> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(ifMissing([]))
  // NOTE: folders are sorted by their name with the slash, like the keys of a bucket.
  const sorted = entries
    .map((entry) => ({
      entry,
      name: `${folder}/${entry.name}`,
      sort: entry.isDirectory() ? `${entry.name}/` : entry.name,
    }))
    .toSorted((a, b) => (a.sort < b.sort ? -1 : 1))
  for (const { entry, name } of sorted) {
    if (entry.isDirectory()) {
      if (`${name}/` < after.slice(0, name.length + 1)) continue
      yield* walk(root, name, after)
    } else if (name > after && !TEMPORARY.test(name)) {
      const found = await stat(join(root, name)).catch(ifMissing(undefined))
      if (found) yield { name, size: found.size }
    }
  }
}

async function clean(folder: string, before: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(ifMissing([]))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await clean(path, before)
    else if (TEMPORARY.test(entry.name) && ((await stat(path).catch(ifMissing(undefined)))?.mtimeMs ?? before) < before)
      await rm(path, { force: true })
  }
}

async function* only(data: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield data
}
