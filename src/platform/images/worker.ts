import { parentPort, workerData } from 'node:worker_threads'
import { Jimp } from 'jimp'

const { data, side } = workerData as { data: Uint8Array; side: number | undefined }

/** Decodes one image to see that it is one, and scales it to a square PNG when asked to. */
const image = await Jimp.fromBuffer(Buffer.from(data))
const scaled = side === undefined ? undefined : await image.cover({ w: side, h: side }).getBuffer('image/png')
parentPort!.postMessage({ scaled })
