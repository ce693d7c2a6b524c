import { gitEnv } from '../../engine/command.ts'
import { sinkTo } from '../pkt/pkt-line.ts'
import type { Exchange } from '../protocol.ts'
import { startGit } from '../git-child.ts'
import { PktReader } from '../pkt/pkt-reader.ts'

export interface UploadArchiveOptions {
  readonly idleMs: number
  readonly deadlineMs: number
  /** Memory limit of git: a few small objects can expand to billions of files. */
  readonly maxMemory?: number
}

const MAX_MEMORY = 512 * 1024 * 1024

/**
 * Serves `git archive --remote` on one connection: git speaks the protocol, the server relays bytes. Fails with
 * WireError.
 */
export async function serveUploadArchive(exchange: Exchange, options: UploadArchiveOptions): Promise<void> {
  const { repo, input, output, signal } = exchange
  const env = gitEnv(undefined, [['uploadarchive.allowUnreachable', 'false']])
  const child = startGit(['upload-archive', repo.path], {
    env,
    signal,
    deadlineMs: options.deadlineMs,
    maxMemory: options.maxMemory ?? MAX_MEMORY,
  })
  const sink = sinkTo(output, options.idleMs, signal)
  const over = child.exited.then(() => undefined)
  try {
    const reader = new PktReader(input)
    const feeding = async (): Promise<void> => {
      for (let chunk = await reader.chunk(); chunk !== undefined; chunk = await reader.chunk()) await child.write(chunk)
      child.closeInput()
    }
    const sending = async (): Promise<void> => {
      for await (const chunk of child.stdout) await sink(chunk)
    }
    await Promise.all([Promise.race([feeding(), over]), sending()])
    await child.exited
  } finally {
    child.kill()
    await child.exited.catch(() => {})
  }
}
