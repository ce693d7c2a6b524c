import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { BlobStore } from '../../blobs/index.ts'
import type { Db } from '../../db/database.ts'
import { type BlobUse, listAttachmentUsesAfter, listLfsUsesAfter } from '../lfs/blob-use.store.ts'

/** The stores whose blobs are named by rows. */
export interface StoredBlobs {
  readonly lfs: BlobStore
  readonly attachments: BlobStore
}

const CHUNK = 500
/** The same content is named by many rows, those of forks above all. */
const REMEMBERED = 10_000

/** A text for every row whose bytes are missing or are not what they were; `quick` looks at their length alone. */
export async function* checkStoredBlobs(
  db: Db,
  stores: StoredBlobs,
  quick: boolean,
): AsyncGenerator<string, void, undefined> {
  yield* checkUses((after) => listLfsUsesAfter(db, after, CHUNK), { store: stores.lfs, kind: 'large file', quick })
  yield* checkUses((after) => listAttachmentUsesAfter(db, after, CHUNK), {
    store: stores.attachments,
    kind: 'attachment',
    quick,
  })
}

interface Check {
  readonly store: BlobStore
  readonly kind: string
  readonly quick: boolean
}

async function* checkUses(
  next: (after: number) => Promise<BlobUse[]>,
  { store, kind, quick }: Check,
): AsyncGenerator<string, void, undefined> {
  const known = new LRUCache<string, string>({ max: REMEMBERED })
  for (let after = 0; ;) {
    const uses = await next(after)
    for (const { repo, label, hash, size } of uses) {
      const fault = known.get(hash) ?? (await faultOf(store, { hash, size }, quick))
      known.set(hash, fault)
      if (fault !== '') yield `${repo === '' ? '' : `${repo}: `}${kind} ${label} ${fault}`
    }
    if (uses.length < CHUNK) return
    after = uses.at(-1)!.id
  }
}

/** Empty when nothing is wrong. */
async function faultOf(
  store: BlobStore,
  { hash, size }: Pick<BlobUse, 'hash' | 'size'>,
  quick: boolean,
): Promise<string> {
  const stored = await store.size(hash)
  if (stored === undefined) return `is missing: restore ${hash} from a backup`
  if (stored !== size) return `has ${stored} bytes of ${size}: restore ${hash} from a backup`
  if (quick || (await hashOf(store, hash)) === hash) return ''
  return `is damaged: restore ${hash} from a backup`
}

async function hashOf(store: BlobStore, hash: string): Promise<string | undefined> {
  const sum = createHash('sha256')
  for await (const chunk of (await store.open(hash)) ?? []) sum.update(chunk as Buffer)
  return sum.digest('hex')
}
