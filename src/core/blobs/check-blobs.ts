import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { isDomainError } from '../platform/errors.ts'
import type { BlobStore } from './blob-store.ts'

/** A row that names a blob. */
export interface BlobUse {
  readonly id: number
  /** Full name of the repository; empty for a row of none. */
  readonly repo: string
  /** Identifies the row for operators: the id of the object, the name of the file. */
  readonly label: string
  readonly hash: string
  /** Bytes. */
  readonly size: number
}

export interface BlobCheck {
  readonly store: BlobStore
  /** The noun for the rows in messages: `large file`. */
  readonly kind: string
  /** Compares the length alone and reads no bytes. */
  readonly quick: boolean
  /** The next rows by id, at most `limit`; fewer end the check. */
  listUsesAfter(after: number, limit: number): Promise<BlobUse[]>
}

/** The next rows by id, at most `limit`; fewer end the check. */
type ListUses<Db> = (db: Db, after: number, limit: number) => Promise<BlobUse[]>

/**
 * The check of `ingot doctor` for the rows that name blobs of a store; `uses` lists the rows of each kind, by its noun in
 * messages.
 */
export const blobsCheck = <Db>(read: Db, store: BlobStore, uses: Readonly<Record<string, ListUses<Db>>>) => ({
  name: 'files',
  async *run({ quick }: { readonly quick: boolean }) {
    for (const [kind, list] of Object.entries(uses)) {
      const listUsesAfter = (after: number, limit: number) => list(read, after, limit)
      for await (const what of checkBlobs({ store, kind, quick, listUsesAfter }))
        yield { what, state: 'problem' as const }
    }
  },
})

const CHUNK = 500
/** Many rows name the same content, those of forks above all. */
const MAX_REMEMBERED = 10_000

/** A message for every row whose bytes are missing or damaged; ends when the store cannot be reached. */
export async function* checkBlobs({
  store,
  kind,
  quick,
  listUsesAfter,
}: BlobCheck): AsyncGenerator<string, void, undefined> {
  // NOTE: a running server deletes rows, and then their blobs.
  const isLeft = async (id: number): Promise<boolean> => (await listUsesAfter(id - 1, 1))[0]?.id === id
  const faults = new LRUCache<string, string>({ max: MAX_REMEMBERED })
  for (let after = 0; ;) {
    const uses = await listUsesAfter(after, CHUNK)
    for (const { id, repo, label, hash, size } of uses) {
      const fault = faults.get(hash) ?? (await faultOf(store, { hash, size }, quick).catch(ifUnavailable))
      if (fault === undefined) {
        yield `${kind} ${label} and those after it were not checked: the store of files does not answer`
        return
      }
      faults.set(hash, fault)
      if (fault !== '' && (await isLeft(id))) yield `${repo === '' ? '' : `${repo}: `}${kind} ${label} ${fault}`
    }
    if (uses.length < CHUNK) return
    after = uses.at(-1)!.id
  }
}

function ifUnavailable(error: unknown): undefined {
  if (!isDomainError(error, 'unavailable')) throw error
  return undefined
}

/** Empty when nothing is wrong. Throws Unavailable when the store cannot be reached. */
async function faultOf(
  store: BlobStore,
  { hash, size }: Pick<BlobUse, 'hash' | 'size'>,
  quick: boolean,
): Promise<string> {
  const stored = await store.size(hash)
  if (stored === undefined) return `is missing: restore ${hash} from a backup`
  if (stored !== size) return `has ${stored} bytes of ${size}: restore ${hash} from a backup`
  if (quick || (await isIntact(store, hash))) return ''
  return `is damaged: restore ${hash} from a backup`
}

/**
 * Reads all bytes. A damaged object of a bucket ends its stream with Unavailable: an unavailable bucket is recognized
 * by asking for the size of the object, which then throws.
 */
export async function isIntact(backend: Pick<BlobStore, 'open' | 'size'>, hash: string): Promise<boolean> {
  const sum = createHash('sha256')
  try {
    for await (const chunk of (await backend.open(hash)) ?? []) sum.update(chunk as Buffer)
  } catch (error) {
    if (!isDomainError(error, 'unavailable')) throw error
    await backend.size(hash)
    return false
  }
  return sum.digest('hex') === hash
}
