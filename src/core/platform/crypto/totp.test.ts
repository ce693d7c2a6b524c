import { describe, expect, it } from 'vitest'
import { findTotpStep, totpCode, totpStep } from './totp.ts'

const SECRET = Buffer.from('12345678901234567890')

describe('one-time codes', () => {
  it('are those of RFC 6238, appendix B', () => {
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const) {
      expect(totpCode(SECRET, totpStep(seconds * 1000))).toBe(code)
    }
  })

  it('are accepted one step early or one step late, but not two', () => {
    const now = 1_111_111_111_000
    for (const [offset, taken] of [
      [-2, false],
      [-1, true],
      [0, true],
      [1, true],
      [2, false],
    ] as const) {
      const step = totpStep(now) + offset
      expect(findTotpStep(SECRET, totpCode(SECRET, step), now)).toBe(taken ? step : undefined)
    }
  })

  it('must look like one', () => {
    for (const code of ['', '12345', '1234567', 'abcdef', '٠٠٥٩٢٤', '005924 '])
      expect(findTotpStep(SECRET, code, 1_234_567_890_000)).toBeUndefined()
  })
})
