import { once } from 'node:events'
import { watchMemory } from '../../platform/process/memory-watch.ts'
import { type Child, killGroup, startProcess } from '../../platform/process/process.ts'
import { WireError } from './wire-error.ts'

const MAX_STDERR = 16 * 1024

export interface GitChildOptions {
  readonly env: Readonly<Record<string, string>>
  /** Ends the process and all its children. */
  readonly signal: AbortSignal
  /** Milliseconds until the process is ended in any case. */
  readonly deadlineMs: number
  /** Maximum bytes of its own memory; no limit if absent. */
  readonly maxMemory?: number
  /** Receives standard error as it arrives; collected up to a limit if absent. */
  readonly onStderr?: (chunk: Buffer) => void
}

/** A git process of one transfer, with back-pressure on input and output; it ends with all its children. */
export interface GitChild {
  readonly stdout: AsyncIterable<Buffer>
  /** Resolves when the process reads on; bytes after its end are dropped. */
  write(chunk: Uint8Array): Promise<void>
  closeInput(): void
  /** The exit code, once output is closed too; fails with `aborted` or `timeout` if this side ended it. */
  readonly exited: Promise<number>
  /** The collected standard error. */
  stderr(): string
  kill(): void
}

export function startGit(args: readonly string[], options: GitChildOptions): GitChild {
  const child = startProcess('git', args, { env: options.env, group: true })
  let stderr = ''
  let reason: WireError | undefined
  const stop = (error: WireError): void => {
    reason ??= error
    killGroup(child)
  }
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8')
    options.onStderr?.(chunk)
  })
  const exited = watchEnd(child, options, stop, () => reason)
  // NOTE: waiting callers see the error; without any, it must not crash the server.
  exited.catch(() => {})
  return {
    stdout: child.stdout,
    write: (chunk) => writeTo(child, chunk),
    closeInput: () => child.stdin.end(),
    exited,
    stderr: () => stderr.trim(),
    kill: () => stop(new WireError('aborted', 'stopped')),
  }
}

function watchEnd(
  child: Child,
  { signal, deadlineMs, maxMemory = Number.POSITIVE_INFINITY }: GitChildOptions,
  stop: (error: WireError) => void,
  reason: () => WireError | undefined,
): Promise<number> {
  const onAbort = (): void => stop(new WireError('aborted', 'the client left'))
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const timer = setTimeout(() => stop(new WireError('timeout', 'git took too long')), deadlineMs)
  const unwatch = watchMemory(child.pid, maxMemory, () => stop(new WireError('too-large', 'git took too much memory')))
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer)
      unwatch()
      signal.removeEventListener('abort', onAbort)
      finish()
    }
    child.on('error', (error) => settle(() => reject(new WireError('failed', error.message))))
    child.on('close', (code, ended) =>
      settle(() => {
        const early = reason()
        if (early) reject(early)
        else if (code === null) reject(new WireError('failed', `git was ended by ${ended ?? 'a signal'}`))
        else resolve(code)
      }),
    )
  })
}

async function writeTo(child: Child, chunk: Uint8Array): Promise<void> {
  const { stdin } = child
  if (stdin.destroyed || stdin.writableEnded || stdin.write(chunk)) return
  const disconnected = new AbortController()
  const { signal } = disconnected
  try {
    await Promise.race([
      once(stdin, 'drain', { signal }),
      once(stdin, 'close', { signal }),
      once(child, 'exit', { signal }),
    ])
  } catch {
    // The process stopped reading: its exit code says why.
  } finally {
    disconnected.abort()
  }
}
