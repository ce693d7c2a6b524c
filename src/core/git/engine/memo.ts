import { LRUCache } from 'lru-cache'

interface Entry {
  readonly value: unknown
  readonly weight: number
}

export type Memo = ReturnType<typeof createMemo>

/** Memoizes pure queries about immutable objects, limited by bytes. Concurrent equal queries are computed once. */
export function createMemo(maxBytes: number) {
  const cache = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: (entry) => entry.weight })
  const running = new Map<string, Promise<unknown>>()
  return {
    peek: <T>(key: string): T | undefined => cache.get(key)?.value as T | undefined,
    async get<T extends object | number | string>(
      key: string,
      weight: (value: T) => number,
      compute: () => Promise<T>,
    ): Promise<T> {
      const entry = cache.get(key)
      if (entry) return entry.value as T
      const current = running.get(key)
      if (current) return current as Promise<T>
      const work = compute().then((value) => {
        cache.set(key, { value, weight: Math.max(1, Math.ceil(weight(value))) + key.length * 2 + 100 })
        return value
      })
      running.set(key, work)
      try {
        return await work
      } finally {
        running.delete(key)
      }
    },
  }
}
