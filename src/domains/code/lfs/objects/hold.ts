import type { BlobLimits, BlobStore, StoredBlob } from '../../../../core/blobs/index.ts'
import type { Database, Tx } from '../../../../core/db/database.ts'
import type { Clock } from '../../../../core/platform/clock.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { insertFirstLfsLinks, isLfsObjectLinked, type LfsObject } from '../lfs.store.ts'

/** Objects that no repository has yet: kept until they are given to one or let go. */
export interface LfsHold {
  /** Bytes of all. */
  readonly size: number
  /** As LfsObjects.upload. */
  put(announced: LfsObject, source: AsyncIterable<Uint8Array>): Promise<void>
  /** Links all of them to a new repository. */
  link(tx: Tx, repoId: RepoId): Promise<void>
  /** Ends the keeping; what no repository got is deleted. */
  release(): Promise<void>
}

type Put = (source: AsyncIterable<Uint8Array>, limits: BlobLimits) => Promise<StoredBlob>
/** Lets `put` take the bytes of an object in that are what was announced. Throws invalid. */
export type TakeLfsObject = (announced: LfsObject, source: AsyncIterable<Uint8Array>, put: Put) => Promise<void>

interface HoldDeps {
  readonly database: Database
  readonly blobs: BlobStore
  readonly clock: Clock
  readonly takeObject: TakeLfsObject
}

export function createHold({ database, blobs, clock, takeObject }: HoldDeps): LfsHold {
  const hold = blobs.hold()
  const objects = new Map<string, LfsObject>()
  return {
    get size() {
      return [...objects.values()].reduce((sum, { size }) => sum + size, 0)
    },
    async put(announced, source) {
      await takeObject(announced, source, (bytes, limits) => hold.put(bytes, limits))
      objects.set(announced.oid, announced)
    },
    link: (tx, repoId) => insertFirstLfsLinks(tx, repoId, [...objects.values()], clock.now()),
    release: () => hold.release((hash) => isLfsObjectLinked(database.read, hash)),
  }
}
