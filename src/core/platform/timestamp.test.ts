import { describe, expect, it } from 'vitest'
import { isZeroTime, parseTimestamp } from './timestamp.ts'

describe('times in RFC 3339', () => {
  it('are read with their offset', () => {
    expect(parseTimestamp('2020-01-02T03:04:05Z')).toBe(Date.UTC(2020, 0, 2, 3, 4, 5))
    expect(parseTimestamp('2020-02-29t03:04:05.25+02:00')).toBe(Date.UTC(2020, 1, 29, 1, 4, 5, 250))
    expect(isZeroTime(parseTimestamp('0001-01-01T00:00:00Z')!)).toBe(true)
  })

  it.each([
    '',
    'soon',
    '2020-01-02',
    '2020-01-02T03:04:05',
    '2020-01-02 03:04:05Z',
    '2020-02-31T00:00:00Z',
    '2021-02-29T00:00:00Z',
    '2020-13-01T00:00:00Z',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:60:00Z',
    '2020-01-01T00:00:00+99:00',
  ])('%j is rejected', (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  })
})
