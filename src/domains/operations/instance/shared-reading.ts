import type { Clock } from '../../../core/platform/clock.ts'

/** A value shared by several gauges, cached for `keepMs`, so that a scrape costs one query for all. */
export function shareReading<T>(load: () => Promise<T>, clock: Clock, keepMs: number): () => Promise<T> {
  let reading: Promise<T> | undefined
  let readAt = 0
  return () => {
    const now = clock.now()
    if (reading !== undefined && now >= readAt && now - readAt < keepMs) return reading
    readAt = now
    const loading = load()
    reading = loading
    loading.catch(() => (reading = undefined))
    return loading
  }
}
