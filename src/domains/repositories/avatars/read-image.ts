import { badRequest } from '../../../core/platform/errors.ts'
import {
  decodeImage,
  ImageError,
  type ImageInfo,
  mediaTypeOf,
  probeImage,
} from '../../../core/platform/images/probe.ts'
import type { TaskPool } from '../../../core/platform/isolation/index.ts'

export interface AvatarRules {
  /** Pixels. */
  readonly maxWidth: number
  readonly maxHeight: number
  /** Bytes. */
  readonly maxBytes: number
  /** The maximum size in bytes of an image that is stored unchanged. */
  readonly maxUnchangedBytes: number
  /** The width and height of a scaled image in pixels. */
  readonly side: number
}

interface ReadImageDeps {
  readonly rules: AvatarRules
  readonly taskPool: TaskPool
}

interface ReadImage {
  readonly data: Buffer
  readonly mediaType: string
}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/**
 * Checks an uploaded image, and scales a large one to a PNG. Throws BadRequest with the reason
 * (behaviour/users-and-admin#current-user).
 */
export async function readImage(
  { rules, taskPool }: ReadImageDeps,
  base64: string,
  rateLimitKey: string,
): Promise<ReadImage> {
  const data = decode(base64, rules)
  const info = probeImage(data)
  if (info === undefined) throw badRequest('the image is not a PNG, JPEG, GIF or WebP')
  requireSize(info, rules)
  // COMPAT: only the header of a small image is read; clients send images with truncated pixels
  // (test/repositories/avatars.test.ts).
  if (data.length <= rules.maxUnchangedBytes) return { data, mediaType: mediaTypeOf(info.kind) }
  // The decoder does not support WebP.
  if (info.kind === 'webp') throw badRequest(`a WebP image may have at most ${rules.maxUnchangedBytes} bytes`)
  try {
    return { data: await decodeImage(taskPool, { data, side: rules.side }, rateLimitKey), mediaType: 'image/png' }
  } catch (error) {
    throw error instanceof ImageError ? badRequest(error.message) : error
  }
}

function decode(base64: string, { maxBytes }: AvatarRules): Buffer {
  const plain = base64.replaceAll(/[\r\n]/g, '')
  if (plain.length % 4 !== 0 || !BASE64.test(plain)) throw badRequest('the image is not base64')
  const data = Buffer.from(plain, 'base64')
  if (data.length > maxBytes) throw badRequest(`the image has ${data.length} bytes, at most ${maxBytes} are allowed`)
  return data
}

/** NOTE: called before decoding: a header of a few bytes may declare gigapixels. */
function requireSize({ width, height }: ImageInfo, { maxWidth, maxHeight }: AvatarRules): void {
  if (width === 0 || height === 0) throw badRequest('the image is empty')
  if (width > maxWidth || height > maxHeight)
    throw badRequest(`the image has ${width}x${height} pixels, at most ${maxWidth}x${maxHeight} are allowed`)
}
