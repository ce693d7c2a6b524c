import type { Writable } from 'node:stream'
import { WireError } from './wire-error.ts'

/** Where bytes go, one chunk after the other: the promise settles when the next chunk may come. */
export type ByteSink = (chunk: Uint8Array) => Promise<void>

/**
 * A sink over a stream with back-pressure: it waits while the reader on the other side is behind, and fails with
 * `aborted` when that side leaves and with `timeout` when it takes nothing for `idleMs` milliseconds.
 */
export function sinkTo(out: Writable, idleMs: number): ByteSink {
  return async (chunk) => {
    if (out.destroyed || out.writableEnded) throw new WireError('aborted', 'the client left')
    if (out.write(chunk)) return
    await drained(out, idleMs)
  }
}

function drained(out: Writable, idleMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(new WireError('timeout', 'the client read nothing for too long')), idleMs)
    const onDrain = (): void => settle()
    const onGone = (): void => settle(new WireError('aborted', 'the client left'))
    const settle = (error?: Error): void => {
      clearTimeout(timer)
      out.off('drain', onDrain).off('close', onGone).off('error', onGone)
      if (error) reject(error)
      else resolve()
    }
    out.on('drain', onDrain).on('close', onGone).on('error', onGone)
  })
}
