import { parentPort, workerData } from 'node:worker_threads'
import { Jimp } from 'jimp'

const { data, side } = workerData as { data: Uint8Array; side: number }

/** Decodes one image and scales it to a square PNG. */
const image = await Jimp.fromBuffer(Buffer.from(data))
const scaled = await image.cover({ w: side, h: side }).getBuffer('image/png')
parentPort!.postMessage({ scaled })
