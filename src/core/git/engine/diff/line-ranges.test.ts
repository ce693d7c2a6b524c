import { describe, expect, it } from 'vitest'
import { LineRanges } from './line-moves.ts'

/** Two lines of three changed, one line inserted after line 5, lines 8 and 9 deleted. */
const DIFF = '@@ -2,2 +2 @@\n-b\n-c\n+B\n@@ -5,0 +5 @@\n+e2\n@@ -8,2 +7,0 @@\n-h\n-i\n'

const read = (text: string): Promise<LineRanges> => LineRanges.read(chunks(text))

async function* chunks(text: string): AsyncGenerator<Buffer, void, undefined> {
  for (const byte of Buffer.from(text)) yield Buffer.of(byte)
}

describe('lines of the old file', () => {
  it.each([
    [1, 1, 1],
    [2, 2, undefined],
    [3, 3, undefined],
    [4, 4, 3],
    [5, 5, 4],
    [6, 6, 6],
    [7, 7, 7],
    [8, 8, undefined],
    [9, 9, undefined],
    [10, 10, 8],
    [100, 100, 98],
  ])('of %i to %i begin at %s in the new one', async (first, last, moved) => {
    const ranges = await read(DIFF)
    expect(ranges.move({ first, last })).toEqual(moved && { first: moved, last: moved + last - first })
  })

  it('are mapped together or not at all', async () => {
    const ranges = await read(DIFF)
    expect(ranges.move({ first: 4, last: 5 })).toEqual({ first: 3, last: 4 })
    expect(ranges.move({ first: 6, last: 7 })).toEqual({ first: 6, last: 7 })
    expect(ranges.move({ first: 5, last: 6 }), 'a line was inserted between').toBeUndefined()
    expect(ranges.move({ first: 1, last: 2 }), 'the last one was changed').toBeUndefined()
    expect(ranges.move({ first: 7, last: 10 }), 'two of them were deleted').toBeUndefined()
  })

  it('are not mapped if the diff has no hunks, as for a binary file', async () => {
    const ranges = await read('Binary files a/x and b/x differ\n')
    expect(ranges.move({ first: 1, last: 1 })).toBeUndefined()
  })
})
