import { describe, expect, it } from 'vitest'
import { RateLimit } from './rate-limit.ts'

describe('a rate limit', () => {
  const make = (perMinute: number, burst: number): { limit: RateLimit; pass(ms: number): void } => {
    let now = 1_000_000
    return {
      limit: new RateLimit({ clock: { now: () => now }, what: 'tests', perMinute, burst }),
      pass: (ms) => (now += ms),
    }
  }

  it('grants a burst, then what comes back with time', () => {
    const { limit, pass } = make(60, 3)
    for (let i = 0; i < 3; i++) limit.take('a')
    expect(() => limit.take('a')).toThrow('too many tests from this address, try again in 1 seconds')
    pass(999)
    expect(() => limit.take('a')).toThrow()
    pass(1)
    limit.take('a')
    pass(3_600_000)
    for (let i = 0; i < 3; i++) limit.take('a')
    expect(() => limit.take('a')).toThrow()
  })

  it('counts each key by itself', () => {
    const { limit } = make(60, 1)
    limit.take('a')
    limit.take('b')
    expect(() => limit.take('a')).toThrow()
  })

  it('reports when there will be enough, and charges nothing for a refusal', () => {
    const { limit, pass } = make(60, 10)
    limit.take('a', 8)
    for (let i = 0; i < 5; i++)
      expect(() => limit.take('a', 7)).toThrow(expect.objectContaining({ kind: 'too-many-requests', retryAfter: 5 }))
    pass(5_000)
    limit.take('a', 7)
  })

  it('never refuses what costs more than a whole bucket for ever', () => {
    const { limit } = make(60, 2)
    limit.take('a', 100)
    expect(() => limit.take('a', 100)).toThrow()
  })

  it('is off at 0, and keeps a bounded number of keys', () => {
    const off = make(0, 1).limit
    for (let i = 0; i < 1_000; i++) off.take('a')
    const { limit } = make(1, 1)
    for (let i = 0; i < 60_000; i++) limit.take(`key ${i}`)
    limit.take('key 0')
    expect(() => limit.take('key 59999')).toThrow()
  })
})
