import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wireTime } from './clock.ts'

describe('wireTime', () => {
  it('is the ISO form with whole seconds, whatever time came before', () => {
    expect(wireTime(0)).toBe('1970-01-01T00:00:00Z')
    expect(wireTime(-1)).toBe('1969-12-31T23:59:59Z')
    expect(wireTime(1_700_000_000_999)).toBe('2023-11-14T22:13:20Z')
    const span = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_000 })
    fc.assert(
      fc.property(span, (ms) => wireTime(ms) === new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z')),
      { numRuns: 2_000 },
    )
  })
})
