import { relative } from 'node:path'
import { LRUCache } from 'lru-cache'
import type { Database } from '../../../../core/db/database.ts'
import type { Git } from '../../../../core/git/index.ts'
import { isDomainError } from '../../../../core/platform/errors.ts'
import { seal } from '../sealed-file.ts'
import { lastEventId, listChangedStorages } from './changed-repos.store.ts'
import { BlobCopier } from './copy-blobs.ts'
import { copyUnit, type UnitCopy } from './copy-unit.ts'
import { COVERED } from './layout.ts'
import { prune } from './prune.ts'
import type { KnownState } from './states.ts'
import { DATA_DIR, listUnits } from './unit.ts'

export interface FilesCopierDeps extends UnitCopy {
  readonly database: Database
  readonly git: Pick<Git, 'path' | 'repoExists'>
  /** Days that can be restored. */
  readonly days: number
  /** Ends a long pass when the server stops. */
  readonly signal: AbortSignal
}

/** Between passes over all repositories, which find changes without an event. */
const FULL_PASS_MS = 60 * 60_000
const DAY_MS = 24 * FULL_PASS_MS
const COVER_MS = 60_000
/** Characters of remembered states: refs and settings of repositories. */
const MAX_KNOWN = 16_000_000

/** Copies repositories with events, new blobs, and the keys in the data directory. */
export class FilesCopier {
  readonly #deps: FilesCopierDeps
  readonly #blobs: BlobCopier
  readonly #known = new LRUCache<string, KnownState>({ maxSize: MAX_KNOWN, sizeCalculation: sizeOf })
  #fullPassAt = 0
  #prunedAt = 0
  #coveredAt = 0
  /** NOTE: PostgreSQL shows events later than those with higher ids, so that each is looked at twice. */
  #after: readonly [earlier: number, last: number] = [0, 0]

  constructor(deps: FilesCopierDeps) {
    this.#deps = deps
    this.#blobs = new BlobCopier(deps)
  }

  async copy(): Promise<boolean> {
    try {
      return await this.#copy()
    } catch (error) {
      if (isDomainError(error, 'conflict')) this.#forget()
      throw error
    }
  }

  /** NOTE: while the place belonged to another process, that may have written other versions. */
  #forget(): void {
    this.#known.clear()
    this.#blobs.forget()
    this.#fullPassAt = 0
  }

  async #copy(): Promise<boolean> {
    const { clock, database, place, signal } = this.#deps
    const begun = clock.now()
    const last = await lastEventId(database.read)
    const isFull = begun - this.#fullPassAt >= FULL_PASS_MS
    const changed = isFull ? 0 : await this.#copyChanged()
    if (isFull && !(await this.#copyAll())) return false
    await copyUnit(this.#deps, DATA_DIR, this.#known)
    await this.#blobs.copy()
    if (signal.aborted) return false
    this.#after = [this.#after[1], last]
    if (isFull) this.#fullPassAt = begun
    if (isFull || changed > 0 || begun - this.#coveredAt >= COVER_MS) {
      await place.put(COVERED, seal({ format: 1, until: begun }).data)
      this.#coveredAt = begun
    }
    if (begun - this.#prunedAt >= DAY_MS) {
      await prune(this.#deps)
      this.#prunedAt = begun
    }
    return false
  }

  async #copyChanged(): Promise<number> {
    const { database, dataDir, git } = this.#deps
    const storages = await listChangedStorages(database.read, this.#after[0])
    for (const storage of storages.flatMap((each) => [each, `${each}.wiki`]))
      if (await git.repoExists(storage))
        await copyUnit(this.#deps, { path: relative(dataDir, git.path(storage)), hasObjects: true }, this.#known)
    return storages.length
  }

  /** False when the server stops. */
  async #copyAll(): Promise<boolean> {
    for await (const unit of listUnits(this.#deps.dataDir)) {
      if (this.#deps.signal.aborted) return false
      await copyUnit(this.#deps, unit, this.#known)
    }
    return true
  }
}

function sizeOf({ state }: KnownState): number {
  let size = 1
  for (const [path, content] of state) size += path.length + content.length
  return size
}
