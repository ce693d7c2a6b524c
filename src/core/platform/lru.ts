import { LRUCache } from 'lru-cache'

export type BoundedCache<K extends {}, V extends {}> = LRUCache<K, V>

/**
 * A cache of at most `maxEntries` entries, for at most `ttl` milliseconds if given. NOTE: bounded by size because
 * the library reserves arrays for all entries at once when it is bounded by `max`: megabytes of an idle server.
 */
export const boundedCache = <K extends {}, V extends {}>(maxEntries: number, ttl?: number): LRUCache<K, V> =>
  new LRUCache<K, V>({ maxSize: maxEntries, sizeCalculation: () => 1, ...(ttl !== undefined && { ttl }) })
