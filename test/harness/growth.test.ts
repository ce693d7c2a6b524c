import { describe, expect, it } from 'vitest'
import { expectLinear } from './growth.ts'

const spaces = (size: number): string => ' '.repeat(size)

describe('the measure of growth', () => {
  it('accepts linear work', async () => {
    await expectLinear((text) => text.split(''), spaces, 200_000)
  })

  it('rejects quadratic work', async () => {
    await expect(expectLinear((text) => / +x/.test(text), spaces, 3000)).rejects.toThrow(/ms at 12000/)
  })

  it('measures an input that is refused', async () => {
    const refuse = (text: string): void => {
      if (!/ +x/.test(text)) throw new Error('no x')
    }
    await expect(expectLinear(refuse, spaces, 3000)).rejects.toThrow(/ms at 12000/)
  })
})
