import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watchMemory } from '../process/memory-watch.ts'

/**
 * Why a task gave no result. `time`, `memory`: it exceeded its limit; `ended`: its process ended by itself; `failed`:
 * the task threw, with the message of that error; `closing`: the server stops.
 */
type TaskFailure = 'time' | 'memory' | 'ended' | 'failed' | 'closing'

export class TaskError extends Error {
  readonly reason: TaskFailure

  constructor(reason: TaskFailure, message: string) {
    super(message)
    this.name = 'TaskError'
    this.reason = reason
  }
}

/** A message of the server; without `isRun` the child only loads the module. */
export interface Request {
  readonly id: number
  readonly module: string
  readonly input: unknown
  readonly isRun: boolean
}

export interface Result {
  readonly id: number
  readonly output?: unknown
  readonly error?: string
}

/**
 * A module whose `createTask` returns a function from input to output, which is called in a child process. Both are
 * copied by structured clone.
 */
export interface TaskModule<Input, Output> {
  /** A file URL. */
  readonly url: string
  /** Only for the type check. */
  readonly types?: (input: Input) => Output
}

export interface ChildLimits {
  /** MiB of the heap of V8. */
  readonly heap: number
  /** Bytes of all memory of its own. */
  readonly memory: number
  /** Seconds of processor time of the whole life of the process: an end even when the server was killed. */
  readonly processorTime: number
  /** Niceness of the process, 0 to 19. */
  readonly niceness: number
  /** Folders in which it may write; reading is limited to the program. */
  readonly writable?: readonly string[]
}

interface RunOptions {
  /** Milliseconds from when the child has loaded the module. */
  readonly deadline: number
  readonly signal?: AbortSignal
}

interface Pending {
  resolve(output: unknown): void
  reject(error: Error): void
}

const ROOT = join(import.meta.dirname, '../../../..')
const MAIN = fileURLToPath(new URL('task-main.ts', import.meta.url))
const LOAD_DEADLINE_MS = 30_000

/**
 * A child process that runs tasks, one at a time. It has no environment, starts no programs and reads nothing but the
 * program itself. Whatever a task does, the server continues: the task fails and the process ends.
 */
export class TaskChild {
  readonly #process: ChildProcess
  readonly #limits: ChildLimits
  readonly #pending = new Map<number, Pending>()
  #next = 1
  readonly #loaded = new Set<string>()
  #failure: TaskError | undefined
  #busyMs = 0

  constructor(limits: ChildLimits) {
    this.#limits = limits
    this.#process = startChild(limits)
    this.#process.unref()
    this.#process.channel?.unref()
    this.#process.on('message', (result: Result) => this.#settle(result))
    this.#process.on('error', (error) => this.#fail(new TaskError('ended', error.message)))
    this.#process.on('exit', (_, signal) => this.#fail(endOf(signal)))
  }

  /** False from when the process was ended or has ended. */
  get isUsable(): boolean {
    return this.#failure === undefined
  }

  /** Milliseconds that its tasks have taken together. */
  get busyMs(): number {
    return this.#busyMs
  }

  /** Starts the process and loads a module, so that a task of it starts at once. Throws TaskError. */
  async load(module: TaskModule<never, unknown>): Promise<void> {
    if (this.#loaded.has(module.url)) return
    await this.#send({ module: module.url, input: undefined, isRun: false }, { deadline: LOAD_DEADLINE_MS })
    this.#loaded.add(module.url)
  }

  /** Throws TaskError; for all reasons but `failed` the process has ended. */
  async run<Input, Output>(module: TaskModule<Input, Output>, input: Input, options: RunOptions): Promise<Output> {
    await this.load(module)
    const unwatch = watchMemory(this.#process.pid, this.#limits.memory, () =>
      this.#fail(new TaskError('memory', 'the task takes too much memory')),
    )
    const begin = performance.now()
    try {
      return (await this.#send({ module: module.url, input, isRun: true }, options)) as Output
    } finally {
      this.#busyMs += performance.now() - begin
      unwatch()
    }
  }

  /** Ends the process; a task that runs fails. */
  end(): void {
    this.#fail(new TaskError('closing', 'the process was ended'))
  }

  #send(request: Omit<Request, 'id'>, { deadline, signal }: RunOptions): Promise<unknown> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = this.#next++
    const abort = (): void => this.#fail(new TaskError('closing', 'the task was aborted'))
    const timer = setTimeout(() => this.#fail(new TaskError('time', 'the task takes too long')), deadline)
    const sent = new Promise<unknown>((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      // NOTE: a message that cannot be sent is one to a process that has ended, which its exit reports.
      this.#process.send({ id, ...request } satisfies Request, () => {})
      signal?.addEventListener('abort', abort, { once: true })
      if (signal?.aborted) abort()
    })
    return sent.finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    })
  }

  #settle({ id, output, error }: Result): void {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    if (error === undefined) pending?.resolve(output)
    else pending?.reject(new TaskError('failed', error))
  }

  #fail(failure: TaskError): void {
    this.#failure ??= failure
    this.#process.kill('SIGKILL')
    for (const pending of this.#pending.values()) pending.reject(this.#failure)
    this.#pending.clear()
  }
}

/** V8 aborts the process when its heap is full. */
const endOf = (signal: NodeJS.Signals | null): TaskError =>
  signal === 'SIGABRT' || signal === 'SIGTRAP' || signal === 'SIGILL'
    ? new TaskError('memory', 'the task takes too much memory')
    : signal === 'SIGXCPU'
      ? new TaskError('time', 'the task takes too long')
      : new TaskError('ended', 'the process of the task has ended')

/** NOTE: by the shell, which alone can limit processor time and forbid dumps of the memory. */
function startChild({ heap, processorTime, niceness, writable = [] }: ChildLimits): ChildProcess {
  const cache = compileCache()
  const own = [...writable, ...(cache === undefined ? [] : [cache])].filter(makeFolder)
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      `ulimit -c 0; ulimit -S -t ${processorTime}; exec "$0" "$@"`,
      process.execPath,
      `--max-old-space-size=${heap}`,
      '--max-semi-space-size=4',
      '--disable-warning=ExperimentalWarning',
      '--permission',
      ...[ROOT, realpathSync(join(ROOT, 'node_modules')), ...own].map((path) => `--allow-fs-read=${path}/*`),
      ...own.map((path) => `--allow-fs-write=${path}/*`),
      MAIN,
    ],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: { MALLOC_ARENA_MAX: '1', ...(cache !== undefined && { NODE_COMPILE_CACHE: cache }) },
    },
  )
  try {
    if (child.pid !== undefined) setPriority(child.pid, niceness)
  } catch {
    // It has ended already.
  }
  return child
}

/**
 * Compiled code of earlier children, which halves the time to load a module. NOTE: not that of the server, whose code
 * no child may write.
 */
function compileCache(): string | undefined {
  const server = getCompileCacheDir()
  return server === undefined ? undefined : `${server}-tasks`
}

/** False where it cannot be: the child goes without. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true })
    return true
  } catch {
    return false
  }
}
