import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { inject } from 'vitest'
import { runCli } from '../../src/cli/index.ts'

const MAIN = resolve(import.meta.dirname, '../../src/ingot.js')
/** NOTE: on a machine that runs many tests a start takes many times its usual second. */
const START_DEADLINE_MS = 50_000

export interface Ran {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Called with the process as soon as there is one. */
  started?(child: ChildProcess): void
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
 * Runs `ingot ARGS` within the process of the tests, which has loaded the product: a hundredth of the time of `runIngot`.
 * For commands of which the output and the effects matter, and not that a process starts, ends or is killed.
 */
export async function runCommand(args: readonly string[], { env = {} }: Pick<RunOptions, 'env'> = {}): Promise<Ran> {
  process.umask(0o077) // as src/ingot.js does
  const [stdout, stderr]: [string[], string[]] = [[], []]
  const code = await runCli(
    args,
    { PATH: process.env['PATH'] ?? '', ...env },
    { log: (text: string) => void stdout.push(`${text}\n`), error: (text: string) => void stderr.push(`${text}\n`) },
  )
  return { code, stdout: stdout.join(''), stderr: stderr.join('') }
}

/**
 * Makes a data directory with a migrated, empty database, from which a server starts without applying migrations. For
 * tests that say nothing about the first start.
 */
export function makeDataDir(dataDir: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  copyFileSync(inject('sqliteTemplate'), join(dataDir, 'ingot.db'))
}

export interface IngotProcess {
  readonly child: ChildProcess
  readonly url: string
  /** Of the first administrator; empty when there was a user already. */
  readonly password: string
  /** Sends a signal and waits for the end; gives the exit code, null when the signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
  output(): { stdout: string; stderr: string }
}

/** Starts `ingot serve` on a free port and waits until it listens. */
export async function startIngot(
  dataDir: string,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<IngotProcess> {
  const child = start(
    ['serve', '--data-dir', dataDir, '--port', '0', '--set', 'ssh.port=0', '--set', 'log.level=warn', ...args],
    options,
  )
  const output = collect(child)
  const closed = once(child, 'close')
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`not listening in time: ${output().stderr}`)), START_DEADLINE_MS)
    child.stdout!.on('data', () => {
      const found = /listening at (\S+)[\s\S]*API reference/.exec(output().stdout)?.[1]
      if (found !== undefined) resolve((clearTimeout(late), found))
    })
    void closed.then(() => reject(new Error(`ended before it listened: ${output().stderr}`)))
  })
  return {
    child,
    url,
    password: /password: (\S+)/.exec(output().stdout)?.[1] ?? '',
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

function start(args: readonly string[], { env = {} }: RunOptions): ChildProcess {
  return spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  let stdout = ''
  let stderr = ''
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')))
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')))
  return () => ({ stdout, stderr })
}
