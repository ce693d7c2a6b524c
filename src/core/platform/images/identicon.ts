import { createHash } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'

const CELLS = 5
const MARGIN = 0.5

/**
 * A picture drawn from a text: a mirrored pattern of five by five cells in one colour, as a square PNG of `side`
 * pixels.
 */
export function drawIdenticon(seed: string, side: number): Buffer {
  const hash = createHash('sha256').update(seed).digest()
  const isFilled = (column: number, row: number): boolean =>
    (hash[row * 3 + Math.min(column, CELLS - 1 - column)]! & 1) === 1
  const cell = side / (CELLS + 2 * MARGIN)
  const cellOf = (pixel: number): number => Math.floor(pixel / cell - MARGIN)
  const inside = (index: number): boolean => index >= 0 && index < CELLS
  const lineOf = (row: number): Buffer =>
    Buffer.from([
      0,
      ...Array.from({ length: side }, (_, x) => (inside(row) && inside(cellOf(x)) && isFilled(cellOf(x), row) ? 1 : 0)),
    ])
  // Every line of a row of cells is the same; the margins are rows -1 and CELLS.
  const lines = Array.from({ length: CELLS + 2 }, (_, index) => lineOf(index - 1))
  const rows = Array.from({ length: side }, (_, y) => lines[cellOf(y) + 1]!)
  return png(side, [[240, 240, 240], colourOf(hash)], Buffer.concat(rows))
}

type Colour = readonly [red: number, green: number, blue: number]

/** A colour of middle lightness, so that it stands out from light and dark pages. */
function colourOf(hash: Buffer): Colour {
  const hue = hash.readUInt16BE(20) / 65_536
  const channel = (shift: number): number => {
    const at = (hue * 12 + shift) % 12
    return Math.round(255 * (0.5 - 0.3 * Math.max(-1, Math.min(at - 3, 9 - at, 1))))
  }
  return [channel(0), channel(8), channel(4)]
}

/**
 * One byte for each pixel, an index into the palette; each line begins with its filter, none (PNG specification §5,
 * §11).
 */
function png(side: number, palette: readonly Colour[], lines: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(side, 0)
  header.writeUInt32BE(side, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, sum])
}
