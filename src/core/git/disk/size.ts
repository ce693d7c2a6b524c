import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface DiskUse {
  /**
   * What the repository's own files and their folders take on disk, in whole blocks; what it borrows from a pool is not
   * counted.
   */
  readonly bytes: number
  readonly packs: number
  readonly packBytes: number
  readonly looseObjects: number
}

/** Sums file sizes of packs and loose objects and the refs' pack, without a process. */
export async function measureRepo(path: string): Promise<DiskUse> {
  const objects = join(path, 'objects')
  const pack = await sizesIn(join(objects, 'pack'))
  const info = await sizesIn(join(objects, 'info'))
  const graphs = await sizesIn(join(objects, 'info/commit-graphs'))
  const top = await sizesIn(path)
  const folders = (await readdir(objects).catch(() => [])).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const loose = (await Promise.all(folders.map((folder) => sizesIn(join(objects, folder))))).flat()
  const sum = (files: readonly Sized[]): number => files.reduce((total, file) => total + file.size, 0)
  const packs = pack.filter((file) => file.name.endsWith('.pack'))
  return {
    bytes: [pack, info, graphs, top, loose].reduce(
      (total, files) => total + onDisk(files),
      (FIXED_FOLDERS + folders.length) * BLOCK,
    ),
    packs: packs.length,
    packBytes: sum(packs),
    looseObjects: loose.length,
  }
}

/** Of the common file systems. */
const BLOCK = 4096
/** The repository's own, `objects`, `pack` and `info`. */
const FIXED_FOLDERS = 4
const onDisk = (files: readonly Sized[]): number =>
  files.reduce((total, file) => total + Math.ceil(file.size / BLOCK) * BLOCK, 0)

interface Sized {
  readonly name: string
  readonly size: number
}

async function sizesIn(folder: string): Promise<Sized[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
  return Promise.all(
    files.map(async (name) => ({ name, size: (await stat(join(folder, name)).catch(() => undefined))?.size ?? 0 })),
  )
}
