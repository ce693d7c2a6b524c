import { open, type FileHandle } from 'node:fs/promises'
import { WireError } from '../wire-error.ts'

/** The size of one read, beyond which the kernel reads ahead anyway. */
const READ_SIZE = 128 * 1024

/**
 * Bytes that one producer writes to a file while any number of readers follow, each at its own speed. A slow reader
 * holds one buffer and no reference to the producer.
 */
export class SpooledStream {
  readonly path: string
  size = 0
  readers = 0
  #state: 'open' | 'done' | 'failed' = 'open'
  #error: Error | undefined
  #changed = Promise.withResolvers<void>()
  readonly #onIdle: () => void

  /** `size` is given for a file that is already complete. `onIdle` is called when the last reader has left. */
  constructor(path: string, onIdle: () => void, size?: number) {
    this.path = path
    this.#onIdle = onIdle
    if (size === undefined) return
    this.size = size
    this.#state = 'done'
  }

  get state(): 'open' | 'done' | 'failed' {
    return this.#state
  }

  async append(file: FileHandle, chunk: Uint8Array): Promise<void> {
    let at = 0
    while (at < chunk.length) at += (await file.write(chunk, at, chunk.length - at)).bytesWritten
    this.size += chunk.length
    this.#wake()
  }

  finish(error?: Error): void {
    this.#state = error ? 'failed' : 'done'
    this.#error = error
    this.#wake()
  }

  /**
   * Yields the bytes from `start` on until the producer is done; after a failure, first the bytes produced before it,
   * then its error. While there is no data, yields an empty buffer every `tickMs` milliseconds.
   * NOTE: all chunks share one buffer: a chunk is valid until the next one is requested.
   */
  async *read(start: number, tickMs: number): AsyncGenerator<Buffer, void, undefined> {
    this.readers++
    let file: FileHandle | undefined
    let buffer: Buffer | undefined
    try {
      let at = start
      for (;;) {
        if (at < this.size) {
          file ??= await open(this.path, 'r')
          buffer ??= Buffer.allocUnsafeSlow(READ_SIZE)
          const { bytesRead } = await file.read(buffer, 0, Math.min(READ_SIZE, this.size - at), at)
          if (bytesRead === 0) throw new WireError('failed', 'a cached pack is shorter than it was')
          at += bytesRead
          yield buffer.subarray(0, bytesRead)
        } else if (this.#state === 'done') return
        else if (this.#state === 'failed') throw this.#error!
        else if (!(await this.#changedWithin(tickMs))) yield Buffer.alloc(0)
      }
    } finally {
      await file?.close()
      this.readers--
      if (this.readers === 0) this.#onIdle()
    }
  }

  async #changedWithin(ms: number): Promise<boolean> {
    const tick = Promise.withResolvers<false>()
    const timer = setTimeout(() => tick.resolve(false), ms)
    try {
      return await Promise.race([this.#changed.promise.then(() => true), tick.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  #wake(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers<void>()
    resolve()
  }
}
