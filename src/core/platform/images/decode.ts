import { type DomainError, unavailable } from '../errors.ts'
import { TaskError, type TaskKind, type TaskPool } from '../isolation/index.ts'
import type { ImageInput } from './decode.task.ts'

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
 * `side` pixels. Throws ImageError for what cannot be decoded in time, too-many-requests when too many wait.
 */
export async function decodeImage(taskPool: TaskPool, input: ImageInput, caller: string): Promise<Buffer> {
  try {
    return Buffer.from(await taskPool.run(TASK, input, caller))
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
      return unavailable('the image could not be decoded, try again', error)
  }
}
