import { Worker } from 'node:worker_threads'
import { unavailable } from '../errors.ts'
import { Semaphore } from '../keyed-mutex.ts'

const DEADLINE_MS = 20_000
const HEAP_MB = 256
const MAX_WAITING = 16
const turn = new Semaphore(1)

/** The bytes are no image of the kind that their header says. */
export class ImageError extends Error {
  constructor(reason: string) {
    super(reason)
    this.name = 'ImageError'
  }
}

/**
 * Decodes a PNG, JPEG or GIF whose size was checked before, in a thread of its own that ends with it, and gives it as a
 * PNG of `side` by `side` pixels. Throws ImageError for what cannot be decoded in time, unavailable when too many wait.
 */
export function decodeImage(data: Buffer, side: number): Promise<Buffer> {
  if (turn.waiting >= MAX_WAITING) throw unavailable('too many images are being read, try again')
  return turn.run(() => inThread(data, side))
}

function inThread(data: Buffer, side: number): Promise<Buffer> {
  const worker = new Worker(new URL('worker.ts', import.meta.url), {
    workerData: { data, side },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stderr: true,
  })
  return new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(() => reject(new ImageError('the image takes too long to decode')), DEADLINE_MS)
    worker.on('message', ({ scaled }: { scaled: Uint8Array }) => resolve(Buffer.from(scaled)))
    worker.on('error', () => reject(new ImageError('the image cannot be decoded')))
    worker.on('exit', () => {
      clearTimeout(timer)
      reject(new ImageError('the image cannot be decoded'))
    })
  }).finally(() => worker.terminate())
}
