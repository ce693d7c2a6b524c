import { gitEnv } from '../engine/command.ts'
import { startGit } from '../wire/git-child.ts'
import { WireError } from '../wire/wire-error.ts'
import { RemoteError } from './remote-error.ts'
import { invocationOf, type Remote } from './remote.ts'
import type { SshFiles } from './ssh.ts'

export interface RemoteRun {
  /** GIT_DIR; none for commands that need no repository. */
  readonly path?: string
  readonly env?: Readonly<Record<string, string>>
  readonly settings?: readonly (readonly [string, string])[]
  readonly ssh?: SshFiles | undefined
  readonly signal: AbortSignal
  readonly deadlineMs: number
}

export interface RemoteOutput {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

const MAX_OUTPUT = 256 * 1024 * 1024

/** Runs one git command against a remote; `args` gets the address. The process and its helpers end with the signal. */
export async function runRemote(
  remote: Remote,
  args: (url: string) => readonly string[],
  run: RemoteRun,
): Promise<RemoteOutput> {
  const { url, settings, env } = invocationOf(remote, run.ssh)
  const child = startGit(args(url), {
    env: {
      ...gitEnv(run.path, [...settings, ...(run.settings ?? [])]),
      GIT_CEILING_DIRECTORIES: '/',
      ...env,
      ...run.env,
    },
    signal: run.signal,
    deadlineMs: run.deadlineMs,
  })
  child.closeInput()
  try {
    const stdout = await readAll(child.stdout)
    return { code: await child.exited, stdout, stderr: child.stderr() }
  } catch (error) {
    if (error instanceof WireError && error.kind === 'timeout')
      throw new RemoteError('timeout', 'the other server took too long', { cause: error })
    throw error
  } finally {
    child.kill()
    await child.exited.catch(() => {})
  }
}

async function readAll(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > MAX_OUTPUT) throw new RemoteError('failed', 'the other server has too many refs')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
