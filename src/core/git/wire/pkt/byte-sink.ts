import type { Writable } from 'node:stream'
import { WireError } from '../wire-error.ts'

/**
 * Where bytes go, one chunk after the other: the promise settles when the next chunk may come. Sinks over streams have
 * no more need of the bytes then, so that a writer may use one buffer again and again.
 */
export type ByteSink = (chunk: Uint8Array) => Promise<void>

/**
 * A sink over a stream with back-pressure: it waits until the bytes have left the process, and fails with `aborted`
 * when the other side leaves or `signal` says so, and with `timeout` when it takes nothing for `idleMs` milliseconds.
 */
export function sinkTo(out: Writable, idleMs: number, signal?: AbortSignal): ByteSink {
  /** NOTE: one listener for all: lines that are only shown are not waited for, so many may be on their way. */
  const waiting = new Set<(error?: WireError) => void>()
  const onGone = (): void => waiting.forEach((settle) => settle(new WireError('aborted', 'the client left')))
  out.on('close', onGone).on('error', onGone)
  // NOTE: a channel of an SSH connection that is gone says nothing itself, neither that it drained nor that it closed.
  signal?.addEventListener('abort', onGone, { once: true })
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
