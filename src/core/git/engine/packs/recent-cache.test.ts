import { expect, it } from 'vitest'
import { RecentCache } from './recent-cache.ts'

it('keeps used entries and stays within its limit', () => {
  const cache = new RecentCache<number, string>(100, (value) => value.length)
  const value = 'x'.repeat(10)
  for (let key = 0; key < 1000; key++) {
    cache.set(key, value)
    expect(cache.get(0), `after ${key}`).toBe(value)
  }
  const kept = Array.from({ length: 1000 }, (_, key) => cache.get(key)).filter((found) => found !== undefined)
  expect(kept.length).toBeLessThanOrEqual(10)
})

it('does not store an entry larger than half of the limit', () => {
  const cache = new RecentCache<string, string>(100, (value) => value.length)
  cache.set('small', 'x')
  cache.set('large', 'x'.repeat(51))
  expect(cache.get('large')).toBeUndefined()
  expect(cache.get('small')).toBe('x')
})
