import { AsyncLocalStorage } from 'node:async_hooks'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { watchMemory } from './memory-watch.ts'

export type Child = ChildProcessByStdio<Writable, Readable, Readable>

export interface RunOptions {
  readonly cwd?: string
  /** The whole environment of the child except PATH; nothing is inherited. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  /** Milliseconds until the child is killed. */
  readonly deadline?: number
  /** The maximum number of bytes of standard output; the child is killed when it writes more. */
  readonly maxOutput?: number
  /** Bytes of memory of its own before the child is killed as runaway; see watchMemory. */
  readonly maxMemory?: number
  readonly signal?: AbortSignal
  /** Starts the child in its own process group, so that `killGroup` also ends its children. */
  readonly group?: boolean
  /** The child serves other requests too, so it does not get the low priority of background work that starts it. */
  readonly isShared?: boolean
  /** Niceness of the child outside of background work; 0 if absent. */
  readonly niceness?: number
}

export interface RunResult {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: string
}

export class ProcessError extends Error {
  readonly command: string
  readonly result: RunResult | undefined

  constructor(command: string, message: string, result?: RunResult) {
    super(`${command}: ${message}`)
    this.name = 'ProcessError'
    this.command = command
    this.result = result
  }
}

const DEFAULT_DEADLINE = 60_000
const DEFAULT_MAX_OUTPUT = 256 * 1024 * 1024
const MAX_STDERR = 16 * 1024

const background = new AsyncLocalStorage<true>()
const BACKGROUND_NICENESS = 10

/** Children that are started within `task` give way to all others: for work in the background. */
export const inBackground = <T>(task: () => T): T => background.run(true, task)

/** Starts a child with a closed environment; the caller owns its streams and its end. */
export function startProcess(command: string, args: readonly string[], options: RunOptions = {}): Child {
  const child = spawn(command, args, {
    cwd: options.cwd,
    env: { PATH: childPath, LC_ALL: 'C', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: options.signal,
    killSignal: 'SIGKILL',
    detached: options.group === true,
  })
  if (background.getStore() === true && options.isShared !== true) lowerPriority(child, BACKGROUND_NICENESS)
  else if (options.niceness) lowerPriority(child, options.niceness)
  child.stdin.on('error', () => {}) // NOTE: a child may end before it has read everything; its exit code says so.
  return child
}

function lowerPriority({ pid }: Child, niceness: number): void {
  try {
    if (pid !== undefined) setPriority(pid, niceness)
  } catch {
    // It has ended already.
  }
}

/** Ends a child started with `group` and everything it started in turn; harmless when it has already ended. */
export function killGroup(child: Child): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    child.kill('SIGKILL')
  }
}

/**
 * Runs a child to its end and returns its exit code and output; rejects if it cannot start, times out or prints too
 * much.
 */
export function runProcess(command: string, args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = startProcess(command, args, options)
    const label = `${command} ${args[0] ?? ''}`
    const out: Buffer[] = []
    let size = 0
    let stderr = ''
    let failure: string | undefined
    const stop = (why: string): void => {
      failure ??= why
      child.kill('SIGKILL')
    }
    const timer = setTimeout(() => stop('took too long'), options.deadline ?? DEFAULT_DEADLINE)
    const unwatch = watchMemory(child.pid, options.maxMemory ?? Number.POSITIVE_INFINITY, () =>
      stop('took too much memory'),
    )
    child.stdout.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > (options.maxOutput ?? DEFAULT_MAX_OUTPUT)) stop('printed too much')
      else out.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += chunk.toString('utf8')
    })
    child.on('error', (error) => {
      clearTimeout(timer)
      unwatch()
      reject(new ProcessError(label, error.message))
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      unwatch()
      const result = { code: code ?? -1, stdout: Buffer.concat(out), stderr }
      if (failure !== undefined) reject(new ProcessError(label, failure, result))
      else if (code === null) reject(new ProcessError(label, `ended by ${signal ?? 'a signal'}`, result))
      else resolve(result)
    })
    child.stdin.end(options.input)
  })
}

let childPath = '/usr/local/bin:/usr/bin:/bin'

/** Sets the search path of children; called once at start from the configuration's environment. */
export function setChildPath(path: string): void {
  childPath = path
}
