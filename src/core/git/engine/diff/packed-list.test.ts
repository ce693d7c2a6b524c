import { describe, expect, it } from 'vitest'
import { PackedList } from './changed-files.ts'

const list = (length: number): PackedList<number> => {
  const made = new PackedList<number>()
  for (let index = 0; index < length; index++) made.push(index * 2)
  return made
}

describe.each([0, 1, 255, 256, 257, 1000])('a packed list of %i items', (length) => {
  const items = Array.from({ length }, (_, index) => index * 2)

  it('yields its items from any index on', () => {
    const made = list(length)
    expect(made.length).toBe(length)
    for (const index of [0, 1, 255, 256, 300, 999, 1000, 5000])
      expect([...made.from(index)]).toEqual(items.slice(index))
  })

  it('finds the first item that is not before another', () => {
    const made = list(length)
    for (const wanted of [-1, 0, 1, 511, 512, 513, 5000])
      expect(made.indexAfter((item) => item < wanted)).toBe(items.filter((item) => item < wanted).length)
  })
})
