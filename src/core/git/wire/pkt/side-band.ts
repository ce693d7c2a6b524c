import type { ByteSink } from './byte-sink.ts'
import { encodePkt, FLUSH, lengthPrefix, MAX_PAYLOAD } from './pkt-line.ts'

const DATA = 1
const PROGRESS = 2
const FATAL = 3

/** Payload bytes of one packet beside the band number, with `side-band-64k`. */
export const LARGE_BAND = MAX_PAYLOAD - 1

/**
 * Three streams in one (gitprotocol-pack(5)): data, progress shown as `remote:` lines, and a last fatal message.
 * Each call settles when the reader is ready for more.
 */
export class SideBand {
  readonly #sink: ByteSink
  readonly #size: number

  constructor(sink: ByteSink, size: number = LARGE_BAND) {
    this.#sink = sink
    this.#size = size
  }

  data(bytes: Uint8Array): Promise<void> {
    return this.#send(DATA, bytes)
  }

  progress(text: string | Uint8Array): Promise<void> {
    return this.#send(PROGRESS, typeof text === 'string' ? Buffer.from(text) : text)
  }

  fatal(text: string): Promise<void> {
    return this.#send(FATAL, Buffer.from(text))
  }

  /** An empty packet, so that proxies and clients see that the server still works. */
  keepAlive(): Promise<void> {
    return this.#sink(encodePkt(Buffer.of(DATA)))
  }

  end(): Promise<void> {
    return this.#sink(FLUSH)
  }

  async #send(band: number, bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; at += this.#size) {
      const part = bytes.subarray(at, at + this.#size)
      const packet = Buffer.allocUnsafe(5 + part.length)
      packet.write(lengthPrefix(part.length + 1), 0, 'latin1')
      packet[4] = band
      packet.set(part, 5)
      await this.#sink(packet)
    }
  }
}
