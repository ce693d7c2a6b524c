import { deflateSync, constants } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Inflater } from './inflate.ts'
import { UnsupportedError } from './unsupported-error.ts'

const inflater = new Inflater()
const inflateTo = (input: Buffer, size: number): Buffer | undefined => inflater.inflate(input, size)

const STRATEGIES = [constants.Z_DEFAULT_STRATEGY, constants.Z_FIXED, constants.Z_HUFFMAN_ONLY, constants.Z_RLE]

const contents = fc.oneof(
  fc.uint8Array({ maxLength: 2000 }),
  fc.uint8Array({ maxLength: 200 }),
  fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '\0'), { maxLength: 3000 })
    .map((letters) => Buffer.from(letters.join(''))),
  fc
    .array(fc.constantFrom('100644 name\0', 'x', '40000 '), { maxLength: 400 })
    .map((parts) => Buffer.from(parts.join(''))),
)

it('restores the bytes that zlib compressed, whatever follows them', () => {
  const settings = fc.tuple(contents, fc.integer({ min: 0, max: 9 }), fc.constantFrom(...STRATEGIES))
  fc.assert(
    fc.property(settings, fc.uint8Array({ maxLength: 20 }), ([content, level, strategy], rest) => {
      const input = Buffer.concat([deflateSync(content, { level, strategy }), rest])
      expect(inflateTo(input, content.length)).toEqual(Buffer.from(content))
    }),
    { numRuns: 400 },
  )
})

it('reports a truncated input, at whatever byte', () => {
  for (const size of [10, 300, 5000]) {
    const content = Buffer.from(Array.from({ length: size }, (_, index) => index % 251))
    const whole = deflateSync(content)
    for (let length = 2; length < whole.length; length += 7)
      expect(inflateTo(whole.subarray(0, length), size), `${length} of ${size}`).toBeUndefined()
  }
})

it.each([3, 12])('never accepts damaged data (%i lines)', (lines) => {
  const content = Buffer.from('a tree, a blob and a commit went to a pack, a pack and a pack. '.repeat(lines))
  const whole = deflateSync(content)
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const input = Buffer.from(whole)
      input[at]! ^= change
      let result: Buffer | undefined
      try {
        result = inflateTo(input, content.length)
      } catch (error) {
        expect(error).toBeInstanceOf(UnsupportedError)
      }
      if (result) expect(result.equals(content)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

it.each([100, 5000])('rejects a size other than the stated one (%i bytes)', (size) => {
  const input = deflateSync(Buffer.alloc(size, 'x'))
  expect(() => inflateTo(input, size - 1)).toThrow(UnsupportedError)
  expect(() => inflateTo(input, size + 1)).toThrow(UnsupportedError)
})
