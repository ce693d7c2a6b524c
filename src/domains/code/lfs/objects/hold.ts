import type { Core } from '../../../../core/module.ts'
import type { BlobLimits, BlobStore, StoredBlob } from '../../../../core/blobs/index.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { insertFirstLfsLinks, isLfsObjectLinked, type LfsObject } from '../lfs.store.ts'

type Put = (source: AsyncIterable<Uint8Array>, limits: BlobLimits) => Promise<StoredBlob>
/** Lets `put` take the bytes of an object in that are what was announced. Throws invalid. */
export type TakeLfsObject = (announced: LfsObject, source: AsyncIterable<Uint8Array>, put: Put) => Promise<void>

interface HoldDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: BlobStore
  readonly takeObject: TakeLfsObject
}

export type LfsHold = ReturnType<typeof createHold>

/** Objects that no repository has yet: kept until they are given to one or let go. */
export function createHold({ database, blobs, clock, takeObject }: HoldDeps) {
  const hold = blobs.hold()
  const objects = new Map<string, LfsObject>()
  return {
    /** Bytes of all. */
    get size() {
      return [...objects.values()].reduce((sum, { size }) => sum + size, 0)
    },
    /** As LfsObjects.upload. */
    async put(announced: LfsObject, source: AsyncIterable<Uint8Array>): Promise<void> {
      await takeObject(announced, source, (bytes, limits) => hold.put(bytes, limits))
      objects.set(announced.oid, announced)
    },
    /** Links all of them to a new repository. */
    link: (tx: Tx, repoId: RepoId): Promise<void> =>
      insertFirstLfsLinks(tx, repoId, [...objects.values()], clock.now()),
    /** Ends the keeping; what no repository got is deleted. */
    release: (): Promise<void> => hold.release((hash) => isLfsObjectLinked(database.read, hash)),
  }
}
