import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { inflateSync } from 'node:zlib'
import { ObjectArena } from './object-arena.ts'
import { MAX_OBJECT_BYTES, Pack } from './pack.ts'
import { PageCache } from './pack-index.ts'
import { Slab } from './slab.ts'
import { UnsupportedError } from './unsupported-error.ts'

const MAX_LOOSE_BYTES = 4 * 1024 * 1024
const MAX_ALTERNATES = 5

export type StoreCaches = ReturnType<typeof createStoreCaches>

/** Caches shared by the stores of all repositories; limited by bytes. */
export function createStoreCaches(pageBytes: number, objectBytes: number) {
  return { pages: new PageCache(pageBytes), objects: new ObjectArena(objectBytes) }
}

/**
 * Reads commits and trees from packs and loose files synchronously and without a process: for worker threads. The list
 * of packs is read again if no pack has an object, because another process may have packed it.
 */
export class ObjectStore {
  /** The repository's own object directory, then those it borrows from. */
  readonly directories: readonly string[]
  readonly #caches: StoreCaches
  readonly #idBytes: number
  readonly #slab = new Slab()
  readonly #packs = new Map<string, Pack>()
  #order: Pack[] = []

  constructor(objects: string, idBytes: number, caches: StoreCaches) {
    this.directories = withAlternates(objects)
    this.#idBytes = idBytes
    this.#caches = caches
    this.#scan()
  }

  /** The content of a commit or tree. Throws UnsupportedError if it is missing, too large or of another type. */
  read(id: Buffer): Buffer {
    const packed = this.peek(id)
    if (packed) return this.#copied(packed)
    const loose = this.#loose(id)
    if (loose) return loose
    this.#scan()
    const late = this.peek(id)
    if (!late) throw new UnsupportedError('an object is missing')
    return this.#copied(late)
  }

  /** The same without a copy: valid until other objects are read (`turns`). Undefined if no open pack has it. */
  peek(id: Buffer): Buffer | undefined {
    for (const [index, pack] of this.#order.entries()) {
      const offset = pack.find(id)
      if (offset === undefined) continue
      // The next object is probably in the same pack.
      if (index > 0) this.#order = [pack, ...this.#order.filter((other) => other !== pack)]
      return pack.read(offset)
    }
    return undefined
  }

  /** The result of `peek` may be overwritten once this has grown by two. */
  get turns(): number {
    return this.#caches.objects.turns
  }

  /** Bytes in memory, without the shared caches. */
  get bytes(): number {
    return this.#order.reduce((sum, pack) => sum + pack.bytes, 0)
  }

  close(): void {
    for (const pack of this.#packs.values()) pack.close()
    this.#packs.clear()
    this.#order = []
  }

  #copied(content: Buffer): Buffer {
    const copy = this.#slab.take(content.length)
    content.copy(copy)
    return copy
  }

  #loose(id: Buffer): Buffer | undefined {
    const hex = id.toString('hex')
    for (const directory of this.directories) {
      const content = readLooseSync(join(directory, hex.slice(0, 2), hex.slice(2)))
      if (content) return content
    }
    return undefined
  }

  /** Opens new packs and closes deleted ones. */
  #scan(): void {
    const paths = new Set(this.directories.flatMap(indexesOf))
    for (const [path, pack] of this.#packs) {
      if (paths.has(path)) continue
      pack.close()
      this.#packs.delete(path)
    }
    for (const path of paths) {
      const pack = this.#packs.get(path) ?? openPack(this.#caches, path, this.#idBytes)
      if (pack) this.#packs.set(path, pack)
    }
    this.#order = [...this.#packs.values()]
  }
}

function indexesOf(directory: string): string[] {
  try {
    const pack = join(directory, 'pack')
    return readdirSync(pack)
      .filter((name) => name.endsWith('.idx'))
      .map((name) => join(pack, name))
  } catch {
    return []
  }
}

/** Undefined if a repack has just replaced it. */
function openPack({ pages, objects }: StoreCaches, path: string, idBytes: number): Pack | undefined {
  try {
    return new Pack(pages, path, { idBytes, arena: objects })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function withAlternates(objects: string): string[] {
  const all = [objects]
  for (const directory of all) {
    for (const line of readText(join(directory, 'info/alternates')).split('\n')) {
      if (line === '') continue
      const path = isAbsolute(line) ? line : join(directory, line)
      if (!all.includes(path) && existsSync(path)) all.push(path)
      if (all.length > MAX_ALTERNATES) throw new UnsupportedError('too many alternates')
    }
  }
  return all
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function readLooseSync(path: string): Buffer | undefined {
  let file: Buffer
  try {
    file = readFileSync(path)
  } catch {
    return undefined
  }
  if (file.length > MAX_LOOSE_BYTES) throw new UnsupportedError('a loose object is too large')
  const data = inflateSync(file, { maxOutputLength: MAX_OBJECT_BYTES })
  const match = /^(?:commit|tree) (\d+)\0/.exec(data.toString('latin1', 0, 32))
  if (!match || Number(match[1]) !== data.length - match[0].length)
    throw new UnsupportedError('neither a commit nor a tree')
  return data.subarray(match[0].length)
}
