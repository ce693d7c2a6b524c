import { type DomainError, unavailable } from '../errors.ts'
import { TaskError, type TaskKind, type TaskPool } from '../isolation/index.ts'
import type { ImageInput } from './decode.task.ts'

export type ImageKind = 'png' | 'jpeg' | 'gif' | 'webp'

export interface ImageInfo {
  readonly kind: ImageKind
  /** Pixels, as the header says. */
  readonly width: number
  readonly height: number
}

export const mediaTypeOf = (kind: ImageKind): string => `image/${kind}`

/** Kind and size by the header alone, before anything is decoded; undefined for other kinds. */
export function probeImage(data: Buffer): ImageInfo | undefined {
  try {
    return png(data) ?? gif(data) ?? webp(data) ?? jpeg(data)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const startsWith = (data: Buffer, text: string, at = 0): boolean =>
  data.toString('latin1', at, at + text.length) === text

function png(data: Buffer): ImageInfo | undefined {
  if (!startsWith(data, '\x89PNG\r\n\x1a\n') || !startsWith(data, 'IHDR', 12)) return undefined
  return { kind: 'png', width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
}

function gif(data: Buffer): ImageInfo | undefined {
  if (!startsWith(data, 'GIF87a') && !startsWith(data, 'GIF89a')) return undefined
  return { kind: 'gif', width: data.readUInt16LE(6), height: data.readUInt16LE(8) }
}

/** The three forms of RFC 9649; the length in the header must be that of the file. */
function webp(data: Buffer): ImageInfo | undefined {
  if (!startsWith(data, 'RIFF') || !startsWith(data, 'WEBP', 8) || data.readUInt32LE(4) + 8 !== data.length)
    return undefined
  const size = (width: number, height: number): ImageInfo => ({ kind: 'webp', width, height })
  if (startsWith(data, 'VP8X', 12)) return size(data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1)
  if (startsWith(data, 'VP8L', 12) && data[20] === 0x2f)
    return size((data.readUInt16LE(21) & 0x3fff) + 1, ((data.readUInt32LE(21) >> 14) & 0x3fff) + 1)
  if (startsWith(data, 'VP8 ', 12) && data.readUIntBE(23, 3) === 0x9d012a)
    return size(data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff)
  return undefined
}

/** Walks the segments to the frame header. */
function jpeg(data: Buffer): ImageInfo | undefined {
  if (data.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; at + 9 <= data.length;) {
    if (data[at] !== 0xff) return undefined
    const marker = data[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { kind: 'jpeg', width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) }
    at += marker === 0xff ? 1 : 2 + data.readUInt16BE(at + 2)
  }
  return undefined
}

/** NOTE: large images take seconds; their sides were checked before. */
const TASK: TaskKind<ImageInput, Uint8Array> = {
  url: new URL('decode.task.ts', import.meta.url).href,
  deadline: 20_000,
  isLong: true,
}

/** The bytes are no image of the kind that their header says. */
export class ImageError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ImageError'
  }
}

/**
 * Decodes a PNG, JPEG or GIF whose size was checked before, in a child process, and gives it as a PNG of `side` by
 * `side` pixels. Throws ImageError for an image that cannot be decoded in time, too-many-requests when too many wait.
 */
export async function decodeImage(taskPool: TaskPool, input: ImageInput, rateLimitKey: string): Promise<Buffer> {
  try {
    return Buffer.from(await taskPool.run(TASK, input, rateLimitKey))
  } catch (error) {
    throw error instanceof TaskError ? refusalOf(error) : error
  }
}

function refusalOf(error: TaskError): ImageError | DomainError {
  switch (error.reason) {
    case 'time':
      return new ImageError('the image takes too long to decode')
    case 'memory':
      return new ImageError('the image takes too much memory to decode')
    case 'failed':
      return new ImageError('the image cannot be decoded')
    default:
      return unavailable('the image could not be decoded, try again').causedBy(error)
  }
}
