import type { Core } from '../../../../core/module.ts'
import type { BlobLimits, BlobStore, StoredBlob } from '../../../../core/blobs/index.ts'
import type { Tx } from '../../../../core/db/database.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { insertFirstLfsLinks, isLfsObjectLinked, type LfsObject } from '../lfs.store.ts'

type Put = (source: AsyncIterable<Uint8Array>, limits: BlobLimits) => Promise<StoredBlob>
/** Stores the bytes of an object with `put` and checks that they match the announced id and size. Throws Invalid. */
export type ReceiveLfsObject = (announced: LfsObject, source: AsyncIterable<Uint8Array>, put: Put) => Promise<void>

interface HoldDeps extends Pick<Core, 'database' | 'clock'> {
  readonly blobs: BlobStore
  readonly receiveObject: ReceiveLfsObject
}

export type LfsHold = ReturnType<typeof createHold>

/** Pins objects that belong to no repository yet, until they are linked to one or released. */
export function createHold({ database, blobs, clock, receiveObject }: HoldDeps) {
  const hold = blobs.hold()
  const objects = new Map<string, LfsObject>()
  return {
    /** The total size in bytes. */
    get size() {
      return [...objects.values()].reduce((sum, { size }) => sum + size, 0)
    },
    /** See `LfsObjects.upload`. */
    async put(announced: LfsObject, source: AsyncIterable<Uint8Array>): Promise<void> {
      await receiveObject(announced, source, (bytes, limits) => hold.put(bytes, limits))
      objects.set(announced.oid, announced)
    },
    /** Links all objects to a new repository. */
    link: (tx: Tx, repoId: RepoId): Promise<void> =>
      insertFirstLfsLinks(tx, repoId, [...objects.values()], clock.now()),
    /** Releases the objects; those without a repository are deleted. */
    release: (): Promise<void> => hold.release((hash) => isLfsObjectLinked(database.read, hash)),
  }
}
