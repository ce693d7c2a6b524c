import { Jimp } from 'jimp'

export interface ImageInput {
  readonly data: Uint8Array
  /** Pixels of each side of the result. */
  readonly side: number
}

/** Decodes an image and scales it to a square PNG; runs in a child process. */
export const createTask =
  () =>
  async ({ data, side }: ImageInput): Promise<Uint8Array> => {
    const image = await Jimp.fromBuffer(Buffer.from(data))
    return image.cover({ w: side, h: side }).getBuffer('image/png')
  }
