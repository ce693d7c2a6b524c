import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { inject } from 'vitest'
import { runCli } from '../../src/cli/index.ts'
import { setChildPath } from '../../src/core/platform/process/process.ts'

const MAIN = resolve(import.meta.dirname, '../../src/ingot.js')
/** NOTE: on a machine that runs many tests a start takes many times its usual second. */
const START_DEADLINE_MS = 50_000

const LISTENING = /listening at (\S+)[\s\S]*API reference/
/** With the small heap that a server prefers, the collection of garbage takes a third of the time of a start. */
const ROOMY = ['--min-semi-space-size=16', '--max-semi-space-size=16', '--initial-old-space-size=256']
/** With what src/ingot.js gives a server that begins again with it, a server starts once: a tenth of the time less. */
const STARTED_ONCE = {
  args: [...ROOMY, '--disable-warning=ExperimentalWarning'],
  env: { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '8388608' },
} as const
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** The program of another release, in place of src/ingot.js. */
  readonly program?: string
  /** Called with the process as soon as there is one. */
  started?(child: ChildProcess): void
}

export interface StartOptions extends RunOptions {
  /** The server makes its data directory and its database. */
  readonly isFirstStart?: boolean
  /** Starts like the command, with the memory that a server prefers, which takes longer. */
  readonly isFrugal?: boolean
}

/** Runs `ingot ARGS` as a process of its own to its end. */
export async function runIngot(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = start(args, options)
  options.started?.(child)
  const output = collect(child)
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...output() }
}

/**
 * Runs `ingot ARGS` within the process of the tests, which has loaded the product: a hundredth of the time of
 * `runIngot`. For commands of which the output and the effects matter, and not that a process starts, ends or is
 * killed.
 */
export async function runCommand(args: readonly string[], { env = {} }: Pick<RunOptions, 'env'> = {}): Promise<Ran> {
  return begin(args, env).ended
}

/**
 * A server that `ingot serve` runs within the process of the tests, which has loaded the product: a tenth of the time
 * of `startIngot`. For tests of what a start, a server and an orderly stop do, and not of processes, signals and kills.
 */
export async function serveHere(
  dataDir: string,
  args: readonly string[] = [],
  { env = {} }: Pick<RunOptions, 'env'> = {},
): Promise<ServerHere> {
  const others = process.rawListeners('SIGTERM')
  const { ended, output, listening } = begin(['serve', ...serveOptions(dataDir), ...args], env)
  const failed = ended.then(({ stderr }) => Promise.reject(new Error(`ended before it listened: ${stderr}`)))
  await Promise.race([listening, failed])
  failed.catch(() => {}) // it has listened
  const signal = process.rawListeners('SIGTERM').find((listener) => !others.includes(listener))!
  return {
    ...told(output().stdout),
    async stop() {
      signal.call(process, 'SIGTERM')
      return (await ended).code
    },
  }
}

/** Runs a command line here, leaving the process as it was for what runs in it later. */
function begin(args: readonly string[], env: Readonly<Record<string, string>>) {
  process.umask(0o077) // as src/ingot.js does
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const output = () => ({ stdout: stdout.join(''), stderr: stderr.join('') })
  const { promise: listening, resolve: listens } = Promise.withResolvers<void>()
  const before = SIGNALS.map((name) => process.rawListeners(name))
  const log = (text: string): void => {
    if (LISTENING.test((stdout.push(`${text}\n`), output().stdout))) listens()
  }
  const error = (text: string): void => void stderr.push(`${text}\n`)
  const run = async (): Promise<Ran> => {
    try {
      return { code: await runCli(args, environment(args, env), { log, error }), ...output() }
    } finally {
      for (const [index, name] of SIGNALS.entries())
        for (const listener of process.rawListeners(name))
          if (!before[index]!.includes(listener)) process.removeListener(name, listener as () => void)
      // NOTE: a server prefers a small heap (src/core/platform/process/heap.ts), tests the default of V8.
      setFlagsFromString('--heap-growing-percent=0')
      setChildPath(process.env['PATH'] ?? '')
    }
  }
  return { ended: run(), output, listening }
}

/**
 * Makes a data directory with a migrated, empty database, from which a server starts without applying migrations. For
 * tests that say nothing about the first start.
 */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(inject('sqliteTemplate'), join(dataDir, 'ingot.db'))
}

export interface ServerHere {
  readonly url: string
  /** Password of the first administrator; empty when there was a user already. */
  readonly password: string
  /** Stops like SIGTERM; returns the exit code. */
  stop(): Promise<number | null>
}

export interface IngotProcess extends ServerHere {
  readonly child: ChildProcess
  /** Sends a signal and waits for the end; gives the exit code, null when the signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  output(): { stdout: string; stderr: string }
}

/**
 * Starts `ingot serve` as a process of its own on a free port and waits until it listens. A data directory that is not
 * there is made with a migrated database, unless the first start is what the test is about.
 */
export async function startIngot(
  dataDir: string,
  args: readonly string[] = [],
  options: StartOptions = {},
): Promise<IngotProcess> {
  const isElsewhere = args.some((arg) => arg.startsWith('database.url='))
  if (options.isFirstStart !== true && !isElsewhere && !existsSync(dataDir)) makeDataDir(dataDir)
  const begins = options.isFrugal === true ? { args: [], env: {} } : STARTED_ONCE
  const child = start(
    ['serve', ...serveOptions(dataDir), ...args],
    { ...options, env: { ...begins.env, ...options.env } },
    begins.args,
  )
  const output = collect(child)
  const closed = once(child, 'close')
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`not listening in time: ${output().stderr}`)), START_DEADLINE_MS)
    child.stdout!.on('data', () => {
      if (LISTENING.test(output().stdout)) resolve(clearTimeout(late))
    })
    void closed.then(() => reject(new Error(`ended before it listened: ${output().stderr}`)))
  })
  return {
    child,
    ...told(output().stdout),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code] = (await closed) as [number | null]
      return code
    },
    output,
  }
}

export interface Folder {
  readonly path: string
  remove(): void
}

export function temporaryFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'ingot-run-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

const serveOptions = (dataDir: string): string[] => {
  const settings = ['ssh.port=0', 'log.level=warn'].flatMap((setting) => ['--set', setting])
  return ['--data-dir', dataDir, '--port', '0', ...settings]
}

/** What a server that listens has printed. */
const told = (stdout: string): { url: string; password: string } => ({
  url: LISTENING.exec(stdout)![1]!,
  password: /password: (\S+)/.exec(stdout)?.[1] ?? '',
})

function start(
  args: readonly string[],
  { env = {}, program = MAIN }: RunOptions,
  nodeArgs: readonly string[] = ROOMY,
): ChildProcess {
  return spawn(process.execPath, [...nodeArgs, program, ...args], {
    env: environment(args, env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** NOTE: one process serves unless a test says more, which start faster than several. */
const environment = ([command]: readonly string[], env: Readonly<Record<string, string>>): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  ...(command === 'serve' ? { INGOT_SERVER_WORKERS: '1' } : {}),
  ...env,
})

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  let stdout = ''
  let stderr = ''
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')))
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')))
  return () => ({ stdout, stderr })
}
