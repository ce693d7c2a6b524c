import { LRUCache } from 'lru-cache'
import { join } from 'node:path'
import { GitError } from '../../errors.ts'
import { type Answer, type Found, MAX_PARSED } from './cat-file.ts'
import type { GitCommand } from '../command.ts'
import { readLoose } from './loose-object.ts'
import { type Commit, parseCommit } from '../object/commit.ts'
import { isOid, type ObjectFormat, type ObjectType } from '../object/format.ts'
import { parseTag, type Tag } from '../object/tag.ts'
import { parseTree, type TreeEntry } from '../object/tree.ts'
import type { ReaderPool } from './reader-pool.ts'

interface ObjectInfo {
  readonly oid: string
  readonly type: ObjectType
  readonly size: number
}

interface Cached {
  readonly info: ObjectInfo
  readonly value: Parsed | undefined
}

type Parsed = Commit | readonly TreeEntry[] | Tag | Buffer

/**
 * Parsed objects of all repositories, limited by bytes. Keys contain the repository: an id must not open another
 * repository's object.
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

export type Objects = ReturnType<typeof createObjects>

/**
 * Reads objects of one repository by full id. Every method throws GitError `missing` for an object that does not exist.
 */
export function createObjects(context: ObjectsContext) {
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

  async function parsed<T extends Parsed>(oid: string, type: ObjectType): Promise<T> {
    const cached = cache.get(key(oid))
    if (cached && cached.info.type !== type) throw wrongType(oid, type, cached.info.type)
    if (cached?.value !== undefined) return cached.value as T
    if (cached && type !== 'blob' && cached.info.size > MAX_PARSED)
      throw new GitError('too-large', `object ${oid} is too large`)
    const found = await contents(oid)
    const info = { oid: found.oid, type: found.type, size: found.size }
    if (found.type !== type) {
      cache.set(key(oid), { info, value: undefined })
      throw wrongType(oid, type, found.type)
    }
    const value = parseObject(format, oid, type, found.content) as T
    cache.set(key(oid), { info, value })
    return value
  }

  async function findInfo(oid: string): Promise<ObjectInfo | undefined> {
    const cached = cache.get(key(oid))
    if (cached) return cached.info
    const found = pool.has(path) ? await asked(oid) : await findStored(oid)
    if (found) cache.set(key(oid), { info: found, value: undefined })
    return found
  }

  async function asked(oid: string): Promise<ObjectInfo | undefined> {
    if (!isOid(oid, format)) return undefined
    const answer = await pool.ask(path, 'info', oid)
    if (answer === 'missing' || answer === 'ambiguous') return undefined
    return { oid: answer.oid, type: answer.type, size: answer.size }
  }

  async function findStored(oid: string): Promise<ObjectInfo | undefined> {
    const found = isOid(oid, format) ? await readLoose(objectsDir, oid) : undefined
    return found ? { oid, type: found.type, size: found.size } : asked(oid)
  }

  async function info(oid: string): Promise<ObjectInfo> {
    const found = await findInfo(oid)
    if (!found) throw new GitError('missing', `object ${oid} does not exist`)
    return found
  }

  /** A blob in memory. Throws `too-large` above `maxBytes` (default 16 MiB), before reading anything. */
  async function blob(oid: string, maxBytes: number = DEFAULT_MAX_BLOB): Promise<Buffer> {
    const { type, size } = await info(oid)
    if (type !== 'blob') throw wrongType(oid, 'blob', type)
    if (size > maxBytes) throw new GitError('too-large', `blob ${oid} has ${size} bytes`)
    if (size <= MAX_CACHED_BLOB) return parsed(oid, 'blob')
    return (await contents(oid)).content
  }

  return {
    info,
    findInfo,
    /** Like `findInfo`, but bypasses the cache, which still has objects that maintenance has deleted. */
    findStored,
    blob,
    commit: (oid: string): Promise<Commit> => parsed(oid, 'commit'),
    tree: (oid: string): Promise<readonly TreeEntry[]> => parsed(oid, 'tree'),
    tag: (oid: string): Promise<Tag> => parsed(oid, 'tag'),
    /** Streams a blob of any size; leaving the loop early ends the read. */
    async *blobStream(oid: string, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
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
    /** The stored bytes of a commit, tree or tag, for signatures. */
    raw: contents,
    /** Resolves any revision text through git; the caller must have checked that it is harmless. */
    ask: (revision: string): Promise<Answer> => pool.ask(path, 'info', revision),
    /** Caches an object that was just written, so that it need not be read back. */
    remember({
      oid,
      type,
      content,
    }: {
      readonly oid: string
      readonly type: ObjectType
      readonly content: Buffer
    }): void {
      const value = content.length <= MAX_CACHED_BLOB ? parseObject(format, oid, type, content) : undefined
      cache.set(key(oid), { info: { oid, type, size: content.length }, value })
    },
  }
}

/** A slow client may take its time over a large file. */
const STREAM_DEADLINE = 60 * 60 * 1000

function parseObject(format: ObjectFormat, oid: string, type: ObjectType, content: Buffer): Parsed {
  if (type === 'commit') return parseCommit(oid, content)
  if (type === 'tree') return parseTree(oid, content, format)
  return type === 'tag' ? parseTag(oid, content) : content
}

function wrongType(oid: string, wanted: ObjectType, found: ObjectType): GitError {
  return new GitError('wrong-type', `object ${oid} is a ${found}, not a ${wanted}`)
}
