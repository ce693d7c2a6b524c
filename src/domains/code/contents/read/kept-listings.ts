import { LRUCache } from 'lru-cache'
import { longList } from '../../../../core/http/answer/json-list.ts'
import type { JsonBytes } from '../../../../core/http/answer/json-text.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { Repo } from '../../../repositories/index.ts'
import type { Target } from '../../verification/target.ts'

/** What the text of a listing depends on. */
interface Listing {
  readonly repo: Pick<Repo, 'id' | 'fullName'>
  readonly target: Target
  readonly path: string
  /** As the client sent it: it is part of the addresses. */
  readonly ref: string | undefined
}

/** Texts of large directories, which take longer to write than to send. */
export interface KeptListings {
  find(listing: Listing): JsonBytes | undefined
  /** The body to answer with. */
  keep<E>(listing: Listing, entries: readonly E[], present: (entry: E) => unknown): Promise<unknown>
}

const MAX_BYTES = 16 * 1024 * 1024
const MIN_ENTRIES = 32

/**
 * NOTE: never stale, because the key has the commit, and of the repository and the site what the addresses have. The
 * caller has looked the target up in the repository for this request, so that nothing is found that was deleted.
 */
export function createKeptListings(site: Site): KeptListings {
  const cache = new LRUCache<string, JsonBytes>({
    maxSize: MAX_BYTES,
    maxEntrySize: MAX_BYTES / 4,
    sizeCalculation: ({ bytes }, key) => bytes.length + key.length + 200,
  })
  const keyOf = ({ repo, target, path, ref }: Listing): string =>
    JSON.stringify([site.rootUrl(), repo.id, repo.fullName, target.kind, target.name, target.commit, ref, path])
  return {
    find: (listing) => cache.get(keyOf(listing)),
    async keep(listing, entries, present) {
      if (entries.length < MIN_ENTRIES) return entries.map(present)
      const kept = await longList(entries, present)
      cache.set(keyOf(listing), kept)
      return kept
    },
  }
}
