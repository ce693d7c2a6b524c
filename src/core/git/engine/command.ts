import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Semaphore } from '../../platform/concurrency/lock-table.ts'
import { watchMemory } from '../../platform/process/memory-watch.ts'
import { type Child, ProcessError, runProcess, type RunResult, startProcess } from '../../platform/process/process.ts'
import { GitError } from '../errors.ts'

/**
 * Settings of every git process of the server, which override the repository's own file. They are passed in the
 * environment, so that repositories stay plain and a new server version changes them all at once.
 */
const SETTINGS: readonly (readonly [key: string, value: string])[] = [
  ['safe.directory', '*'],
  ['protocol.allow', 'never'],
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['core.fsync', 'all'],
  ['core.commitGraph', 'true'],
  ['core.filesRefLockTimeout', '3000'],
  ['core.packedRefsTimeout', '5000'],
  ['core.logAllRefUpdates', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['diff.renameLimit', '1000'],
  ['user.name', 'ingot'],
  ['user.email', 'ingot@localhost'],
]

/** Further settings for one process: `[['protocol.https.allow', 'always']]`. */
export type Settings = readonly (readonly [key: string, value: string])[]

/** The closed environment of a git process on `path`; later settings win over earlier ones. */
export function gitEnv(path: string | undefined, settings: Settings = []): Record<string, string> {
  const all = [...SETTINGS, ...settings]
  const env: Record<string, string> = {
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_CONFIG_COUNT: String(all.length),
  }
  if (path !== undefined) env.GIT_DIR = path
  all.forEach(([key, value], index) => {
    env[`GIT_CONFIG_KEY_${index}`] = key
    env[`GIT_CONFIG_VALUE_${index}`] = value
  })
  return env
}

export interface CommandOptions {
  readonly input?: string | Uint8Array
  /** Timeout in milliseconds; defaults to the deadline in the limits. */
  readonly deadline?: number
  /** Milliseconds until a stream's first output, which does not depend on the client; defaults to `deadline`. */
  readonly firstOutput?: number
  /** Maximum bytes of standard output. The output of `run` is collected in memory and has a default limit. */
  readonly maxOutput?: number
  /**
   * Maximum bytes of the process's own memory; defaults to the limits. Infinity for work on whole repositories that no
   * request can trigger.
   */
  readonly maxMemory?: number
  readonly signal?: AbortSignal
  readonly settings?: Settings
  readonly env?: Readonly<Record<string, string>>
  /**
   * The client sets the pace; such commands are counted separately, so that slow readers do not delay short commands.
   */
  readonly paced?: boolean
  /** Exit codes that count as success; only 0 if absent. */
  readonly codes?: readonly number[]
}

/** Many processes that write at a client's pace leave the processor to the thread that answers requests. */
const PACED_NICENESS = 5

/** How many git processes may run at once: short ones, and those that write at a client's pace. */
export interface CommandSlots {
  readonly short: Semaphore
  readonly paced: Semaphore
  /** Waits until another process may be started. */
  readonly start: () => Promise<void>
}

/**
 * Starting a process stops the thread until the child runs: milliseconds, and 100 ms on a busy machine. Starts take at
 * most half of the thread's time. NOTE: each turn of the event loop accepts one connection, so one start in each turn
 * would be too many.
 */
export function spacedStarts(): CommandSlots['start'] {
  let next = Promise.resolve()
  return () => {
    const mine = next
    next = mine.then(async () => {
      const began = performance.now()
      await setImmediate()
      await setTimeout(performance.now() - began)
    })
    return mine
  }
}

export type GitCommand = ReturnType<typeof createCommand>

/** Runs git commands on one repository with a closed environment, limited concurrency and a deadline. */
export function createCommand(
  path: string,
  slots: CommandSlots,
  { deadline, maxMemory }: { readonly deadline: number; readonly maxMemory: number },
) {
  const processOptions = (options: CommandOptions) => ({
    cwd: path,
    env: { ...gitEnv(path, options.settings), ...options.env },
    ...(options.signal && { signal: options.signal }),
  })
  return {
    /** Default timeout of a command in milliseconds. */
    deadline,
    async run(args: readonly string[], options: CommandOptions = {}): Promise<RunResult> {
      const release = await (options.paced ? slots.paced : slots.short).acquire()
      try {
        await slots.start()
        const result = await runProcess('git', args, {
          ...processOptions(options),
          deadline: options.deadline ?? deadline,
          maxMemory: options.maxMemory ?? maxMemory,
          ...(options.input !== undefined && { input: options.input }),
          ...(options.maxOutput !== undefined && { maxOutput: options.maxOutput }),
        })
        if (!(options.codes ?? [0]).includes(result.code)) throw failure(args, result)
        return result
      } catch (error) {
        throw asGitError(error, options.signal)
      } finally {
        release()
      }
    },
    /** Yields standard output as it arrives; leaving the loop early ends the process. */
    async *stream(args: readonly string[], options: CommandOptions = {}): AsyncGenerator<Buffer, void, undefined> {
      const release = await (options.paced ? slots.paced : slots.short).acquire()
      try {
        await slots.start()
        const child = startProcess('git', args, {
          ...processOptions(options),
          niceness: options.paced ? PACED_NICENESS : 0,
        })
        child.stdin.end(options.input)
        yield* childOutput(child, args, { deadline, maxMemory, ...options })
      } finally {
        release()
      }
    },
    /** Starts a process that the caller must end. */
    start: (args: readonly string[], options: CommandOptions = {}): Child =>
      startProcess('git', args, processOptions(options)),
  }
}

interface Ending {
  readonly code: number | null
  readonly error?: Error
}

type Bounded = CommandOptions & { readonly deadline: number; readonly maxMemory: number }

async function* childOutput(child: Child, args: readonly string[], options: Bounded) {
  const { maxOutput = Number.POSITIVE_INFINITY } = options
  let stderr = ''
  let stopped: GitError | undefined
  const stop = (error: GitError): void => {
    stopped ??= error
    child.kill('SIGKILL')
  }
  const ended = new Promise<Ending>((resolve) => {
    child.on('error', (error) => resolve({ code: null, error }))
    child.on('close', (code) => resolve({ code }))
  })
  child.stderr.on('data', (chunk: Buffer) => {
    if (stderr.length < 16_384) stderr += chunk.toString('utf8')
  })
  const late = (): void => stop(new GitError('timeout', `git ${args[0]} took too long`))
  const timer = globalThis.setTimeout(late, options.deadline)
  const firstTimer = globalThis.setTimeout(late, options.firstOutput ?? options.deadline)
  const unwatch = watchMemory(child.pid, options.maxMemory, () =>
    stop(new GitError('too-large', `git ${args[0]} took too much memory`)),
  )
  try {
    let printed = 0
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      clearTimeout(firstTimer)
      printed += chunk.length
      if (printed > maxOutput) throw new GitError('too-large', `git ${args[0]} printed more than ${maxOutput} bytes`)
      yield chunk
    }
    const { code, error } = await ended
    if (stopped) throw stopped
    if (options.signal?.aborted) throw new GitError('aborted', `git ${args[0]} was stopped`)
    if (error) throw new GitError('failed', error.message)
    if (!(options.codes ?? [0]).includes(code ?? -1))
      throw failure(args, { code: code ?? -1, stdout: Buffer.alloc(0), stderr })
  } finally {
    clearTimeout(timer)
    clearTimeout(firstTimer)
    unwatch()
    child.kill('SIGKILL')
  }
}

function failure(args: readonly string[], result: RunResult): GitError {
  const text = result.stderr.trim().slice(0, 2000)
  return new GitError('failed', `git ${args[0] ?? ''} ended with ${result.code}: ${text}`)
}

function asGitError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return new GitError('aborted', 'the request was stopped', { cause: error })
  if (!(error instanceof ProcessError)) return error
  if (error.message.endsWith('took too long')) return new GitError('timeout', error.message, { cause: error })
  if (/(?:printed too much|took too much memory)$/.test(error.message))
    return new GitError('too-large', error.message, { cause: error })
  if (error.message.includes('ENOENT'))
    return new GitError('no-repo', 'the repository or git itself is missing', { cause: error })
  return new GitError('failed', error.message, { cause: error })
}
