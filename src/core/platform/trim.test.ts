import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectLinear } from '../../../test/harness/growth.ts'
import { trimEndOf, trimOf } from './trim.ts'

describe('trimming of characters', () => {
  const texts = fc.string({ unit: fc.constantFrom('/', '.', 'a', 'b') })

  it('equals an expression', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(trimEndOf(text, '/.')).toBe(text.replace(/[/.]+$/, ''))
        expect(trimOf(text, '/')).toBe(text.replaceAll(/^\/+|\/+$/g, ''))
      }),
    )
  })

  it('takes linear time', () =>
    expectLinear(
      (text: string) => trimOf(text, '/'),
      (size) => `a${'/'.repeat(size)}b`,
      250_000,
    ))
})
