import type { Writable } from 'node:stream'
import { WireError } from './wire-error.ts'

/**
 * Where bytes go, one chunk after the other: the promise settles when the next chunk may come. Sinks over streams have no
 * more need of the bytes then, so that a writer may use one buffer again and again.
 */
export type ByteSink = (chunk: Uint8Array) => Promise<void>

/**
 * A sink over a stream with back-pressure: it waits until the bytes have left the process, and fails with `aborted` when
 * the other side leaves and with `timeout` when it takes nothing for `idleMs` milliseconds.
 */
export function sinkTo(out: Writable, idleMs: number): ByteSink {
  return (chunk) =>
    new Promise((resolve, reject) => {
      if (out.destroyed || out.writableEnded) return reject(new WireError('aborted', 'the client left'))
      const timer = setTimeout(() => settle(new WireError('timeout', 'the client read nothing for too long')), idleMs)
      const onGone = (): void => settle(new WireError('aborted', 'the client left'))
      const settle = (error?: Error): void => {
        clearTimeout(timer)
        out.off('close', onGone).off('error', onGone)
        if (error) reject(error)
        else resolve()
      }
      out.on('close', onGone).on('error', onGone)
      out.write(chunk, (error) => (error ? onGone() : settle()))
    })
}
