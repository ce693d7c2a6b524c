import type { Writable } from 'node:stream'
import { WireError } from '../wire-error.ts'

/**
 * Receives bytes chunk by chunk: the promise resolves when the next chunk may follow. A sink over a stream no longer
 * needs the bytes then, so that a writer can reuse its buffer.
 */
export type ByteSink = (chunk: Uint8Array) => Promise<void>

/**
 * A sink over a stream with back-pressure: it waits until the bytes have left the process. Fails with `aborted` when
 * the other side disconnects or `signal` fires, and with `timeout` when it accepts nothing for `idleMs` milliseconds.
 */
export function sinkTo(out: Writable, idleMs: number, signal?: AbortSignal): ByteSink {
  /** NOTE: one listener for all writes: progress lines are not awaited, so many may be in flight. */
  const waiting = new Set<(error?: WireError) => void>()
  const onClose = (): void => waiting.forEach((settle) => settle(new WireError('aborted', 'the client left')))
  out.on('close', onClose).on('error', onClose)
  // NOTE: a closed channel of an SSH connection emits neither `drain` nor `close`.
  signal?.addEventListener('abort', onClose, { once: true })
  return (chunk) =>
    new Promise((resolve, reject) => {
      if (out.destroyed || out.writableEnded || signal?.aborted)
        return reject(new WireError('aborted', 'the client left'))
      const timer = setTimeout(() => settle(new WireError('timeout', 'the client read nothing for too long')), idleMs)
      const settle = (error?: WireError): void => {
        clearTimeout(timer)
        waiting.delete(settle)
        if (error) reject(error)
        else resolve()
      }
      waiting.add(settle)
      out.write(chunk, (error) => settle(error ? new WireError('aborted', 'the client left') : undefined))
    })
}

/** Packet lines (gitprotocol-common(5)): four hex digits of length, including themselves, then the payload. */
export type Pkt = { readonly kind: 'data'; readonly data: Buffer } | { readonly kind: 'flush' | 'delim' | 'end' }

/** Largest payload of one packet. */
export const MAX_PAYLOAD = 65516

export const FLUSH = Buffer.from('0000')
export const DELIM = Buffer.from('0001')
export const RESPONSE_END = Buffer.from('0002')

const PREFIX = 4

/** One packet with exactly `payload`; text lines must include their line feed. */
export function encodePkt(payload: string | Uint8Array): Buffer {
  const size = typeof payload === 'string' ? Buffer.byteLength(payload) : payload.length
  if (size > MAX_PAYLOAD) throw new RangeError(`a packet has at most ${MAX_PAYLOAD} bytes, not ${size}`)
  const out = Buffer.allocUnsafe(PREFIX + size)
  out.write(lengthPrefix(size), 0, 'latin1')
  if (typeof payload === 'string') out.write(payload, PREFIX, 'utf8')
  else out.set(payload, PREFIX)
  return out
}

/** The four hex digits before a payload of `size` bytes. */
function lengthPrefix(size: number): string {
  return (size + PREFIX).toString(16).padStart(4, '0')
}

/** The total length in a prefix (0, 1 and 2 are the special packets); undefined if it is not a prefix. */
export function parsePrefix(bytes: Buffer): number | undefined {
  let value = 0
  for (let i = 0; i < PREFIX; i++) {
    const digit = hexDigit(bytes[i])
    if (digit === undefined) return undefined
    value = value * 16 + digit
  }
  const valid = value <= 2 || (value >= PREFIX && value <= PREFIX + MAX_PAYLOAD)
  return valid ? value : undefined
}

function hexDigit(code: number | undefined): number | undefined {
  if (code === undefined) return undefined
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : undefined
}

/** The text of a packet without its trailing line feed. */
export function pktText(data: Buffer): string {
  const end = data.at(-1) === 0x0a ? data.length - 1 : data.length
  return data.toString('utf8', 0, end)
}

const DATA = 1
const PROGRESS = 2
const FATAL = 3

/** Payload bytes of one packet after the band number, with `side-band-64k`. */
export const LARGE_BAND = MAX_PAYLOAD - 1

/**
 * Three multiplexed streams (gitprotocol-pack(5)): data, progress shown as `remote:` lines, and a final fatal message.
 * Each call resolves when the reader is ready for more.
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

  /** An empty packet, which shows proxies and clients that the server is still working. */
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
