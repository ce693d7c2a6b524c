import { LRUCache } from 'lru-cache'
import { join } from 'node:path'
import { GitError } from '../errors.ts'
import { type Answer, type Found, MAX_PARSED } from './cat-file.ts'
import type { GitCommand } from './command.ts'
import { readLoose } from './loose-object.ts'
import { type Commit, parseCommit } from './object/commit.ts'
import { isOid, type ObjectFormat, type ObjectType } from './object/format.ts'
import { parseTag, type Tag } from './object/tag.ts'
import { parseTree, type TreeEntry } from './object/tree.ts'
import type { ReaderPool } from './reader-pool.ts'

interface ObjectInfo {
  readonly oid: string
  readonly type: ObjectType
  readonly size: number
}

/** Reading objects of one repository by full id. Everything here throws GitError `missing` for what is not there. */
export interface Objects {
  info(oid: string): Promise<ObjectInfo>
  findInfo(oid: string): Promise<ObjectInfo | undefined>
  commit(oid: string): Promise<Commit>
  tree(oid: string): Promise<readonly TreeEntry[]>
  tag(oid: string): Promise<Tag>
  /** A blob in memory; `too-large` above `maxBytes` (default 16 MiB), before anything was read. */
  blob(oid: string, maxBytes?: number): Promise<Buffer>
  /** A blob of any size as it comes; leaving early ends the reading. */
  blobStream(oid: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined>
  /** The stored bytes of a commit, tree or tag, for signatures. */
  raw(oid: string): Promise<Found & { readonly content: Buffer }>
  /** Asks git about any revision text; the caller has checked that it is harmless. */
  ask(revision: string): Promise<Answer>
  /** True when the commit is in the cache, so that reading it costs nothing. */
  hasCommit(oid: string): boolean
}

interface Cached {
  readonly info: ObjectInfo
  readonly value: Commit | readonly TreeEntry[] | Tag | Buffer | undefined
}

/**
 * Parsed objects of all repositories, bounded by bytes. Keys hold the repository: an id must not open another one's
 * object.
 */
export type ObjectCache = LRUCache<string, Cached>

export function createObjectCache(maxBytes: number): ObjectCache {
  return new LRUCache<string, Cached>({ maxSize: maxBytes, sizeCalculation: (entry) => weight(entry) })
}

function weight({ info, value }: Cached): number {
  if (value === undefined) return 200
  if (info.type === 'tree') return 300 + (value as readonly TreeEntry[]).length * 220
  return 600 + info.size * 2
}

const MAX_CACHED_BLOB = 32 * 1024
const DEFAULT_MAX_BLOB = 16 * 1024 * 1024

export interface ObjectsContext {
  readonly path: string
  readonly format: ObjectFormat
  /** Distinguishes repositories in the shared cache. */
  readonly cacheKey: string
  readonly cache: ObjectCache
  readonly pool: ReaderPool
  readonly command: GitCommand
}

export function createObjects(context: ObjectsContext): Objects {
  const { path, format, cacheKey, cache, pool, command } = context
  const objectsDir = join(path, 'objects')
  const key = (oid: string): string => cacheKey + oid

  async function contents(oid: string): Promise<Found & { readonly content: Buffer }> {
    if (!isOid(oid, format)) throw new GitError('missing', `${oid} is not an id`)
    const found =
      (pool.has(path) ? undefined : await readLoose(objectsDir, oid)) ?? (await pool.ask(path, 'contents', oid))
    if (found === 'missing' || found === 'ambiguous' || !found.content)
      throw new GitError('missing', `object ${oid} does not exist`)
    return { ...found, content: found.content }
  }

  async function parsed<T extends NonNullable<Cached['value']>>(
    oid: string,
    type: ObjectType,
    parse: (content: Buffer) => T,
  ): Promise<T> {
    const known = cache.get(key(oid))
    if (known && known.info.type !== type) throw wrongType(oid, type, known.info.type)
    if (known?.value !== undefined) return known.value as T
    if (known && type !== 'blob' && known.info.size > MAX_PARSED)
      throw new GitError('too-large', `object ${oid} is too large`)
    const found = await contents(oid)
    const info = { oid: found.oid, type: found.type, size: found.size }
    if (found.type !== type) {
      cache.set(key(oid), { info, value: undefined })
      throw wrongType(oid, type, found.type)
    }
    const value = parse(found.content)
    cache.set(key(oid), { info, value })
    return value
  }

  async function findInfo(oid: string): Promise<ObjectInfo | undefined> {
    const known = cache.get(key(oid))
    if (known) return known.info
    if (!isOid(oid, format)) return undefined
    const answer =
      (pool.has(path) ? undefined : await readLoose(objectsDir, oid)) ?? (await pool.ask(path, 'info', oid))
    if (answer === 'missing' || answer === 'ambiguous') return undefined
    const info = { oid: answer.oid, type: answer.type, size: answer.size }
    cache.set(key(oid), { info, value: undefined })
    return info
  }

  async function info(oid: string): Promise<ObjectInfo> {
    const found = await findInfo(oid)
    if (!found) throw new GitError('missing', `object ${oid} does not exist`)
    return found
  }

  async function blob(oid: string, maxBytes = DEFAULT_MAX_BLOB): Promise<Buffer> {
    const known = await info(oid)
    if (known.type !== 'blob') throw wrongType(oid, 'blob', known.type)
    if (known.size > maxBytes) throw new GitError('too-large', `blob ${oid} has ${known.size} bytes`)
    if (known.size <= MAX_CACHED_BLOB) return parsed(oid, 'blob', (content) => content)
    return (await contents(oid)).content
  }

  return {
    info,
    findInfo,
    blob,
    commit: (oid) => parsed(oid, 'commit', (content) => parseCommit(oid, content)),
    tree: (oid) => parsed(oid, 'tree', (content) => parseTree(oid, content, format)),
    tag: (oid) => parsed(oid, 'tag', (content) => parseTag(oid, content)),
    async *blobStream(oid, signal) {
      const { size, type } = await info(oid)
      if (type !== 'blob') throw wrongType(oid, 'blob', type)
      if (size <= MAX_CACHED_BLOB * 32) yield await blob(oid)
      else
        yield* command.stream(['cat-file', 'blob', oid], {
          deadline: STREAM_DEADLINE,
          paced: true,
          ...(signal && { signal }),
        })
    },
    raw: contents,
    ask: (revision) => pool.ask(path, 'info', revision),
    hasCommit: (oid) => cache.has(key(oid)),
  }
}

/** A slow client may take its time over a big file. */
const STREAM_DEADLINE = 60 * 60 * 1000

function wrongType(oid: string, wanted: ObjectType, found: ObjectType): GitError {
  return new GitError('wrong-type', `object ${oid} is a ${found}, not a ${wanted}`)
}
