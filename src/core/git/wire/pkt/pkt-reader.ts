import { Readable } from 'node:stream'
import { parsePrefix, type Pkt } from './pkt-line.ts'
import { protocolError, WireError } from '../wire-error.ts'

const EMPTY = Buffer.alloc(0)
const SPECIAL = ['flush', 'delim', 'end'] as const

export interface PktReaderOptions {
  /** Milliseconds of silence from the client after which a read fails with `timeout`. */
  readonly idleMs?: number
}

/**
 * Reads packet lines, followed by raw bytes, from one byte stream. Buffers at most one packet and one chunk of the
 * source, so that the source slows down a client that sends too fast.
 */
export class PktReader {
  readonly #source: AsyncIterator<Buffer>
  readonly #idleMs: number
  #buffered: Buffer = EMPTY
  #pending: Promise<IteratorResult<Buffer>> | undefined
  #ended = false

  constructor(source: AsyncIterable<Buffer>, options: PktReaderOptions = {}) {
    // NOTE: the stream may still have to carry an answer after its end; the plain iterator would destroy it.
    this.#source =
      source instanceof Readable ? source.iterator({ destroyOnReturn: false }) : source[Symbol.asyncIterator]()
    this.#idleMs = options.idleMs ?? 0
  }

  /** The next packet, or undefined if the stream ends between two packets. */
  async read(): Promise<Pkt | undefined> {
    if (!(await this.#ensure(4))) {
      if (this.#buffered.length === 0) return undefined
      throw protocolError('the request ends inside a packet')
    }
    const length = parsePrefix(this.#buffered)
    if (length === undefined)
      throw protocolError(`bad packet length ${JSON.stringify(this.#buffered.toString('latin1', 0, 4))}`)
    if (length <= 2) {
      this.#take(4)
      return { kind: SPECIAL[length]! }
    }
    if (!(await this.#ensure(length))) throw protocolError('the request ends inside a packet')
    return { kind: 'data', data: this.#take(length).subarray(4) }
  }

  /** Exactly `size` raw bytes, or undefined if fewer remain; those stay readable. */
  async bytes(size: number): Promise<Buffer | undefined> {
    return (await this.#ensure(size)) ? this.#take(size) : undefined
  }

  /** Puts bytes back in front of the stream. */
  unshift(bytes: Buffer): void {
    this.#buffered = Buffer.concat([bytes, this.#buffered])
  }

  /** The next raw bytes in any size, or undefined at the end of the stream. */
  async chunk(): Promise<Buffer | undefined> {
    if (this.#buffered.length === 0 && !(await this.#fill())) return undefined
    return this.#take(this.#buffered.length)
  }

  #take(size: number): Buffer {
    const bytes = this.#buffered.subarray(0, size)
    this.#buffered = this.#buffered.subarray(size)
    return bytes
  }

  async #ensure(size: number): Promise<boolean> {
    const parts = [this.#buffered]
    let have = this.#buffered.length
    while (have < size) {
      this.#buffered = EMPTY
      const got = await this.#fill()
      parts.push(this.#buffered)
      have += this.#buffered.length
      if (!got) break
    }
    if (parts.length > 1) this.#buffered = Buffer.concat(parts)
    return have >= size
  }

  /** NOTE: a read that its caller abandoned stays pending and serves the next caller, so no byte is lost. */
  async #fill(): Promise<boolean> {
    if (this.#ended) return false
    const pending = (this.#pending ??= this.#source.next())
    const result = await this.#withinIdle(pending).catch(asWireError)
    this.#pending = undefined
    if (result.done === true) {
      this.#ended = true
      return false
    }
    this.#buffered = result.value
    return true
  }

  async #withinIdle<T>(pending: Promise<T>): Promise<T> {
    if (this.#idleMs <= 0) return pending
    const silence = Promise.withResolvers<never>()
    const timer = setTimeout(
      () => silence.reject(new WireError('timeout', 'the client sent nothing for too long')),
      this.#idleMs,
    )
    try {
      return await Promise.race([pending, silence.promise])
    } finally {
      clearTimeout(timer)
    }
  }
}

function asWireError(error: unknown): never {
  if (error instanceof WireError) throw error
  const { code, message } = error as NodeJS.ErrnoException
  if (code?.startsWith('Z_') === true) throw protocolError(`the body is not valid gzip: ${message}`)
  throw new WireError('aborted', `the client left: ${message}`)
}
