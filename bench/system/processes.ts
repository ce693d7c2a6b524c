import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'

/** Everything that a run leaves behind unless it is put away: children and temporary files. */
export interface TempDir {
  readonly dir: string
  /** Starts a child that is ended with the run. */
  start(command: string, args: readonly string[], options?: SpawnOptions): ChildProcess
  /** Runs `work` when this is closed, once the children have ended. */
  beforeClose(work: () => Promise<void>): void
  /** Ends a child and waits for its end. */
  stop(child: ChildProcess): Promise<void>
  /** Runs a command to its end; gives the wall time in ms. Throws when it fails. */
  run(command: string, args: readonly string[], options?: RunOptions): Promise<number>
  /** Runs a command to its end; gives its standard output. Throws when it fails. */
  read(command: string, args: readonly string[], options?: RunOptions): Promise<string>
  close(): Promise<void>
}

interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Also prints what the process writes to standard error. */
  readonly isEchoed?: boolean
  /** Writes the standard input; it is ended afterwards. */
  feed?(write: (chunk: string | Uint8Array) => Promise<void>): Promise<void>
}

const STOP_PATIENCE_MS = 20_000

export function openTempDir(): TempDir {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-bench-'))
  const running = new Set<ChildProcess>()
  const endings: (() => Promise<void>)[] = []
  const start: TempDir['start'] = (command, args, options = {}) => {
    const child = spawn(command, args, options)
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }
  const stop: TempDir['stop'] = async (child) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS)
    await ended
    clearTimeout(timer)
  }
  return {
    dir,
    start,
    stop,
    beforeClose: (work) => void endings.push(work),
    run: async (command, args, options = {}) =>
      (await runToEnd(start, [command, ...args], { ...options, home: dir, keep: false })).ms,
    read: async (command, args, options = {}) =>
      (await runToEnd(start, [command, ...args], { ...options, home: dir, keep: true })).output,
    async close() {
      await Promise.all([...running].map(stop))
      for (const work of endings.splice(0)) await work()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

async function runToEnd(
  start: TempDir['start'],
  [command, ...args]: readonly string[],
  options: RunOptions & { home: string; keep: boolean },
): Promise<{ ms: number; output: string }> {
  const begin = performance.now()
  const env = { ...process.env, HOME: options.home, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', ...options.env }
  const child = start(command!, args, {
    cwd: options.cwd,
    env,
    stdio: [options.feed ? 'pipe' : 'ignore', options.keep ? 'pipe' : 'ignore', 'pipe'],
  })
  let complaint = ''
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr!.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(-2000)))
  if (options.isEchoed === true) child.stderr!.pipe(process.stderr, { end: false })
  const ended = once(child, 'close') as Promise<[number | null]>
  if (options.feed) {
    const input = child.stdin!
    await options.feed(async (chunk) => {
      if (!input.write(chunk)) await once(input, 'drain')
    })
    input.end()
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`${command} ${args.slice(0, 3).join(' ')} ended with ${code}: ${complaint.trim()}`)
  return { ms: performance.now() - begin, output }
}

/** Calls back with each line that a stream of a child brings. */
export function onLines(stream: NodeJS.ReadableStream, line: (text: string) => void): void {
  createInterface({ input: stream }).on('line', line)
}
