import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawIdenticon } from './identicon.ts'
import { probeImage } from './probe.ts'

const riff = (form: string, ...rest: number[]): Buffer => {
  const data = Buffer.concat([Buffer.from(`RIFF0000WEBP${form}0000`), Buffer.from(rest)])
  data.writeUInt32LE(data.length - 8, 4)
  return data
}

describe('probing images', () => {
  it('reads the size of each form of WebP', () => {
    expect(probeImage(riff('VP8X', 0, 0, 0, 0, 0x0f, 0x10, 0, 0xff, 0, 0))).toEqual({
      kind: 'webp',
      width: 0x1010,
      height: 256,
    })
    expect(probeImage(riff('VP8L', 0x2f, 0x09, 0x40, 0x02, 0))).toEqual({ kind: 'webp', width: 10, height: 10 })
    expect(probeImage(riff('VP8 ', 0, 0, 0, 0x9d, 0x01, 0x2a, 10, 0, 20, 0))).toEqual({
      kind: 'webp',
      width: 10,
      height: 20,
    })
  })

  it('never throws', () => {
    const heads = fc.constantFrom('\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF', '\xff\xd8', '\xff\xd8\xff\xe0', '')
    fc.assert(
      fc.property(
        heads,
        fc.uint8Array({ maxLength: 80 }),
        (head, rest) => void probeImage(Buffer.concat([Buffer.from(head, 'latin1'), rest])),
      ),
      { numRuns: 1000 },
    )
  })

  it('reads the images that the server draws', () => {
    expect(probeImage(drawIdenticon('seed', 48))).toEqual({ kind: 'png', width: 48, height: 48 })
    expect(drawIdenticon('a', 48).equals(drawIdenticon('b', 48))).toBe(false)
  })
})
