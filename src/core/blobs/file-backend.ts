import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { randomHex } from '../platform/crypto/crypto.ts'
import { ifGone } from '../platform/files/gone.ts'
import { removeTree, replaceDurably, syncDirectory } from '../platform/files/durable.ts'
import type { BlobBackend } from './backend.ts'
import { isBlobHash } from './blob-store.ts'
import { checkSource, writeStream } from './receive.ts'

export interface FileBackend extends BlobBackend {
  /** Path of a new temporary file; the caller deletes it, or else the next start of the server. */
  temporary(): string
}

/**
 * Blobs as files under one directory: `ab/cd/<hash>`, and `tmp/` for uploads under way. The uploads that a
 * crash left are deleted here: `all`, or `old` ones beside servers on other machines; `none` by a command beside the
 * server.
 */
export async function createFileBackend(
  directory: string,
  { emptyUploads = 'all' }: { readonly emptyUploads?: 'all' | 'old' | 'none' } = {},
): Promise<FileBackend> {
  const uploads = join(directory, 'tmp')
  if (emptyUploads === 'all') await removeTree(uploads)
  await mkdir(uploads, { recursive: true })
  if (emptyUploads === 'old') await deleteOldUploads(uploads)
  const pathOf = (hash: string): string => join(directory, hash.slice(0, 2), hash.slice(2, 4), hash)
  const temporary = (): string => join(uploads, randomHex(16))

  return {
    kind: 'local',
    temporary,
    async receive(source, limits) {
      const path = temporary()
      const discard = (): Promise<void> => rm(path, { force: true })
      try {
        const checked = checkSource(source, limits)
        await writeStream(path, checked.bytes)
        const blob = checked.finish()
        const target = pathOf(blob.hash)
        const commit = async (): Promise<void> => {
          await makeDurably(dirname(target), directory)
          await replaceDurably(path, target)
        }
        return { ...blob, commit, discard }
      } catch (error) {
        await discard()
        throw error
      }
    },
    size: async (hash) => (await stat(pathOf(hash)).catch(ifGone(undefined)))?.size,
    async open(hash, range) {
      const handle = await open(pathOf(hash), 'r').catch(ifGone(undefined))
      return handle?.createReadStream({
        ...(range && { start: range.start }),
        ...(range?.end !== undefined && { end: range.end }),
      })
    },
    remove: (hash) => rm(pathOf(hash), { force: true }),
    async *list(after = '') {
      for await (const { name, path } of walk(directory, after)) {
        const found = await stat(path).catch(ifGone(undefined))
        if (found) yield { hash: name, size: found.size, putAt: found.mtimeMs }
      }
    },
  }
}

const SHARD = /^[0-9a-f]{2}$/

/** The files in the order of their names, those behind `after`; one directory at a time. */
async function* walk(directory: string, after: string): AsyncGenerator<{ name: string; path: string }> {
  for (const first of await namesIn(directory, SHARD)) {
    if (first < after.slice(0, 2)) continue
    for (const second of await namesIn(join(directory, first), SHARD)) {
      if (`${first}${second}` < after.slice(0, 4)) continue
      const folder = join(directory, first, second)
      for (const name of await namesIn(folder)) if (name > after) yield { name, path: join(folder, name) }
    }
  }
}

async function namesIn(directory: string, shape?: RegExp): Promise<string[]> {
  const names = await readdir(directory).catch(ifGone([]))
  return names.filter((name) => (shape === undefined ? isBlobHash(name) : shape.test(name))).toSorted()
}

/** Makes the directory and syncs each parent up to `root`, whose entries may be new. */
async function makeDurably(path: string, root: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let parent = dirname(path); parent.startsWith(root); parent = dirname(parent)) await syncDirectory(parent)
}

/** No upload takes that long. NOTE: times of files may be those of another machine's clock. */
const OLD_UPLOAD_MS = 48 * 60 * 60_000

async function deleteOldUploads(uploads: string): Promise<void> {
  for (const name of await readdir(uploads)) {
    const path = join(uploads, name)
    const found = await stat(path).catch(ifGone(undefined))
    if (found !== undefined && found.mtimeMs < performance.timeOrigin + performance.now() - OLD_UPLOAD_MS)
      await rm(path, { force: true })
  }
}
