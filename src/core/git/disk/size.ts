import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface DiskUse {
  /** Disk usage of the repository's own files and folders in whole blocks, without objects borrowed from a pool. */
  readonly bytes: number
  readonly packs: number
  readonly packBytes: number
  readonly looseObjects: number
}

/** Adds up the sizes of packs, loose objects and packed-refs, without a process. */
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

/** The block size of common file systems. */
const BLOCK = 4096
/** The repository directory, `objects`, `pack` and `info`. */
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
