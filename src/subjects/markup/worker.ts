import { parentPort } from 'node:worker_threads'
import { render, type RenderInput } from './render.ts'

/** A rendering thread: one text in, one HTML or failure out. */
parentPort!.on('message', ({ id, input }: { id: number; input: RenderInput }) => {
  try {
    parentPort!.postMessage({ id, html: render(input) })
  } catch (error) {
    parentPort!.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
})
