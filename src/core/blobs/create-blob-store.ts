import { KeyedMutex } from '../platform/concurrency/keyed-mutex.ts'
import { isDomainError } from '../platform/errors.ts'
import type { BlobBackend } from './backend.ts'
import { type BlobStore, isBlobHash } from './blob-store.ts'

/** Where the blobs of one store are kept. */
export interface BlobPlaces {
  /** New blobs go here, and reads ask here first. */
  readonly primary: BlobBackend
  /** Has blobs that a migration did not copy yet; reads ask it for those that `primary` lacks. */
  readonly other?: BlobBackend | undefined
  /** By hash, of all processes that use the places; without them this is the only one. */
  readonly locks?: KeyedMutex
}

/** Adds to the places what concerns rows: locks by hash, holds, and deletion of what no row names. */
export function createBlobStore({ primary, other, locks = new KeyedMutex() }: BlobPlaces): BlobStore {
  const holds: Holds = new Map()
  const find = createFinder({ primary, other })
  const size = (hash: string): Promise<number | undefined> => find((place) => place.size(hash))

  const store: BlobStore = {
    async put(source, limits = {}, record) {
      const staged = await primary.receive(source, limits)
      const blob = { hash: staged.hash, size: staged.size }
      try {
        await locks.run(blob.hash, async () => {
          const isNew = record !== undefined && (await primary.size(blob.hash)) === undefined
          await staged.commit()
          try {
            await record?.(blob)
          } catch (error) {
            // What cannot be deleted now is left to the sweeps.
            if (isNew) await primary.remove(blob.hash).catch(() => undefined)
            throw error
          }
        })
      } finally {
        await staged.discard()
      }
      return blob
    },
    claim: (hash, record) =>
      locks.run(hash, async () => {
        if (!isBlobHash(hash) || (await size(hash)) === undefined) return false
        await record()
        return true
      }),
    size: async (hash) => (isBlobHash(hash) ? size(hash) : undefined),
    open: async (hash, range) => (isBlobHash(hash) ? find((place) => place.open(hash, range)) : undefined),
    link: async (hash, as) => (isBlobHash(hash) ? primary.link?.(hash, as) : undefined),
    async delete(hash, inUse) {
      if (!isBlobHash(hash)) return
      await locks.run(hash, async () => {
        if (holds.has(hash) || (await inUse?.())) return
        await primary.remove(hash)
        await other?.remove(hash)
      })
    },
    hold: () => createHold(store, holds),
    async *list() {
      yield* primary.list()
      if (other !== undefined) yield* other.list()
    },
  }
  return store
}

type Ask<T> = (place: BlobBackend) => Promise<T | undefined>

/** Asks the places one after the other, and the other one too when the first is away: equal hashes are equal bytes. */
function createFinder({ primary, other }: BlobPlaces): <T>(ask: Ask<T>) => Promise<T | undefined> {
  return async (ask) => {
    if (other === undefined) return ask(primary)
    try {
      const found = await ask(primary)
      if (found !== undefined) return found
    } catch (error) {
      if (!isDomainError(error, 'unavailable')) throw error
      const found = await ask(other)
      if (found === undefined) throw error
      return found
    }
    // A migration may have moved the blob between the two questions.
    return (await ask(other)) ?? ask(primary)
  }
}

/** Hash → the number of holds on the blob. */
type Holds = Map<string, number>

function createHold(store: BlobStore, holds: Holds): ReturnType<BlobStore['hold']> {
  const own = new Set<string>()
  return {
    put: (source, limits) =>
      store.put(source, limits, async ({ hash }) => {
        if (!own.has(hash)) holds.set(hash, (holds.get(hash) ?? 0) + 1)
        own.add(hash)
      }),
    async release(inUse) {
      for (const hash of own) {
        const others = holds.get(hash)! - 1
        if (others > 0) holds.set(hash, others)
        else holds.delete(hash)
        own.delete(hash)
        await store.delete(hash, () => inUse(hash))
      }
    },
  }
}
