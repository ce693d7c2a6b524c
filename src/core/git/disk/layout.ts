import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GitError } from '../errors.ts'

/**
 * `ab/abcdef0123`, with the suffix `.wiki` for the wiki. The caller chooses a key once and never reuses it; a rename
 * does not change it.
 */
const STORAGE = /^[0-9a-z]{2}\/[0-9a-z]{4,64}(?:\.wiki)?$/

export interface Layout {
  readonly repos: string
  /** Object stores shared by forks. */
  readonly pools: string
  /** Removed repositories until the background job deletes them. */
  readonly trash: string
  /** Repositories being created; renamed into place when complete. */
  readonly staging: string
  /** Directory in which operators put repositories to import: `<owner>/<name>.git`. */
  readonly adopt: string
  repo(storage: string): string
  pool(storage: string): string
  /** Returns a new path for a file or directory that will be renamed or removed soon. */
  stagingPath(): string
  trashPath(): string
}

export async function createLayout(root: string): Promise<Layout> {
  const at = (name: string): string => join(root, name)
  const layout = {
    repos: at('repos'),
    pools: at('pools'),
    trash: at('trash'),
    staging: at('staging'),
    adopt: at('adopt'),
  }
  for (const path of Object.values(layout)) await mkdir(path, { recursive: true })
  const fresh = (folder: string): string => join(folder, randomBytes(10).toString('hex'))
  return {
    ...layout,
    repo: (storage) => join(layout.repos, `${checkStorage(storage)}.git`),
    pool: (storage) => join(layout.pools, `${checkStorage(storage)}.git`),
    stagingPath: () => fresh(layout.staging),
    trashPath: () => fresh(layout.trash),
  }
}

function checkStorage(storage: string): string {
  if (!STORAGE.test(storage)) throw new GitError('invalid', `bad storage key: ${storage.slice(0, 80)}`)
  return storage
}
