import { describe, expect, it } from 'vitest'
import { keysOf, murmur3, PathKey } from './commit-graph.ts'

const asIs = (byte: number): number => byte
const seed0 = (text: string): string => murmur3(Buffer.from(text), 0, asIs).toString(16)

describe('murmur3', () => {
  // Vectors from git's own test (t0095-bloom).
  it.each([
    ['', '0'],
    ['Hello world!', '627b0c2c'],
    ['The quick brown fox jumps over the lazy dog', '2e4ff723'],
  ])('hashes %j', (text, hash) => expect(seed0(text)).toBe(hash))
})

describe('a changed-path filter', () => {
  const filter = (version: number, ...bytes: number[]) => ({
    version,
    hashes: 7,
    data: Buffer.from([0xee, ...bytes, 0xee]),
    start: 1,
    end: 1 + bytes.length,
  })

  it('contains no path when empty and every path when full', () => {
    const key = new PathKey(Buffer.from('a/b'))
    expect(key.mayBeIn(filter(1, 0))).toBe(false)
    expect(key.mayBeIn(filter(1, 0xff))).toBe(true)
    expect(key.mayBeIn(filter(2, 0xff, 0, 0, 0, 0, 0, 0, 0))).toBe(false)
  })

  it('finds a path with bytes above 127 by either sign in version 1, by the unsigned one in version 2', () => {
    // git's vector for the path of the byte 0xc2 0xa2, version 1 (signed) and 2 (unsigned).
    const key = new PathKey(Buffer.from([0xc2, 0xa2]))
    const signed = filter(1, 0x52, 0xa9)
    const unsigned = filter(2, 0xc0, 0x1f)
    expect(key.mayBeIn(signed)).toBe(true)
    expect(key.mayBeIn({ ...signed, version: 2 })).toBe(false)
    expect(key.mayBeIn(unsigned)).toBe(true)
    expect(key.mayBeIn({ ...unsigned, version: 1 })).toBe(true)
  })
})

it('makes a key of every parent directory of a path', () => {
  expect(keysOf(Buffer.from('a/b/c'))).toHaveLength(3)
  expect(keysOf(Buffer.from('a'))).toHaveLength(1)
})
