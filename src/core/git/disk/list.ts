import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Layout } from './layout.ts'

export interface StoredRepo {
  readonly storage: string
  /** Modification time of the directory itself, in epoch milliseconds. */
  readonly changedAt: number
}

const ENDING = '.git'

/** Lists every repository on disk, folder by folder. */
export async function* listOnDisk(layout: Layout): AsyncGenerator<StoredRepo[]> {
  for (const folder of await readdir(layout.repos)) {
    const names = (await readdir(join(layout.repos, folder)).catch(() => [])).filter((name) => name.endsWith(ENDING))
    const stored = await Promise.all(
      names.map((name) =>
        findStoredRepo(join(layout.repos, folder, name), `${folder}/${name.slice(0, -ENDING.length)}`),
      ),
    )
    yield stored.filter((repo) => repo !== undefined)
  }
}

async function findStoredRepo(path: string, storage: string): Promise<StoredRepo | undefined> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: undefined }))
  return mtimeMs === undefined ? undefined : { storage, changedAt: mtimeMs }
}
