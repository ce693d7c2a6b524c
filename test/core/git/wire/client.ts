import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

export interface GitResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const ENV = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Tester',
  GIT_AUTHOR_EMAIL: 'tester@example.com',
  GIT_COMMITTER_NAME: 'Tester',
  GIT_COMMITTER_EMAIL: 'tester@example.com',
}

export interface GitOptions {
  readonly input?: string | Uint8Array
  readonly env?: Record<string, string>
  readonly signal?: AbortSignal
}

/** Runs the real client with no configuration of the machine. */
export function tryGit(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', args, {
      cwd,
      env: { ...ENV, ...options.env },
      signal: options.signal,
      killSignal: 'SIGKILL',
    })
    const out: Buffer[] = []
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
    child.on('error', (error) => (error.name === 'AbortError' ? undefined : reject(error)))
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(out).toString(), stderr }))
    child.stdin.on('error', () => {})
    child.stdin.end(options.input)
  })
}

/** Like `tryGit`, but throws what the client printed if it fails. */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const result = await tryGit(cwd, args, options)
  if (result.code !== 0) throw new Error(`git ${args.join(' ')}: ${result.stderr}${result.stdout}`)
  return result.stdout.trim()
}

export function tempDir(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'ingot-wire-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 3 }) }
}

/** Between two looks of `until`: without it they take the processor from what is waited for. */
const PAUSE_MS = 5

/** Waits for a condition, at most `deadline` milliseconds. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadline = 20_000,
): Promise<void> {
  const end = performance.now() + deadline
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`)
    await wait(PAUSE_MS)
  }
}

/** Processes of this machine, or children of one, whose command line contains `text`. */
export async function processesWith(text: string, parent?: number): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn('ps', [...(parent === undefined ? ['-e'] : ['--ppid', String(parent)]), '-o', 'args'], {
      env: ENV,
    })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    child.on('close', () => resolve(out.split('\n').filter((line) => line.includes(text)).length))
  })
}
