import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface RunResult {
  /** The exit code; null when a signal ended the program. */
  readonly status: number | null
  readonly stdout: Buffer
  readonly stderr: Buffer
}

export interface RunSmallOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly input?: string | Buffer | undefined
}

interface Runner {
  /** Pipes to and from the process. */
  readonly requests: number
  readonly answers: number
}

let runner: Runner | undefined

/**
 * As `spawnSync`, by a small process that is started once: a fork copies the page tables, which takes 50 ms of the
 * processor from a process of 1 GB, as the one of the tests becomes, and 3 ms from this one. Throws where the program
 * cannot be started.
 */
export function runSmall(command: string, args: readonly string[], options: RunSmallOptions): RunResult {
  runner ??= startRunner()
  const { cwd, env } = options
  const input = options.input === undefined ? undefined : Buffer.from(options.input)
  const request = Buffer.from(JSON.stringify({ command, args, cwd, env, input: input?.length }))
  const size = Buffer.alloc(4)
  size.writeUInt32BE(request.length)
  for (const part of [size, request, input ?? Buffer.alloc(0)]) write(runner, part)
  const head = read(runner, read(runner, 4).readUInt32BE())
  const { status, out, err, error } = JSON.parse(head.toString()) as {
    status: number | null
    out: number
    err: number
    error?: string
  }
  const [stdout, stderr] = [read(runner, out), read(runner, err)]
  if (error !== undefined) throw new Error(error)
  return { status, stdout, stderr }
}

/** The process ends with this one, whose end closes the pipes. */
function startRunner(): Runner {
  const dir = mkdtempSync(join(tmpdir(), 'ingot-runner-'))
  const pipes = ['requests', 'answers'].map((name) => join(dir, name)) as [string, string]
  execFileSync('mkfifo', pipes)
  spawn(process.execPath, [join(import.meta.dirname, 'run-small.js'), ...pipes], { stdio: 'ignore' }).unref()
  const made = { requests: openSync(pipes[0], 'w'), answers: openSync(pipes[1], 'r') }
  rmSync(dir, { recursive: true })
  return made
}

function write({ requests }: Runner, bytes: Buffer): void {
  for (let at = 0; at < bytes.length;) at += writeSync(requests, bytes, at)
}

function read({ answers }: Runner, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const count = readSync(answers, bytes, at, length - at, null)
    if (count === 0) throw new Error('the process that runs programs for the tests has ended')
    at += count
  }
  return bytes
}
