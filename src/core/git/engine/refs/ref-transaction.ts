import { once } from 'node:events'
import { join } from 'node:path'
import type { Confirm } from '../../../platform/concurrency/lock-table.ts'
import { syncFile } from '../../../platform/files/durable.ts'
import { type Child, ProcessError, runProcess } from '../../../platform/process/process.ts'
import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { isZeroOid } from '../object/format.ts'

/**
 * From this number of refs on, syncing the whole file system is faster than syncing each file: a push of thousands of
 * tags took half a minute.
 */
const MANY = 100
/** From this number of refs on, this process syncs their files concurrently: git syncs one after the other. */
const SOME = 3
const DEADLINE_MS = 300_000
/** Milliseconds git has to abort by itself. */
const GRACE_MS = 10_000
export const UPDATE_REF = ['update-ref', '--no-deref', '--stdin', '-z']

/**
 * How the refs of a transaction become durable before they move: git syncs them one after the other; this process syncs
 * all lock files at once; or the whole file system is synced.
 */
export type RefSync = 'git' | 'files' | 'file system'

/** NOTE: a deletion rewrites packed-refs, which git has to sync. */
export function chooseSync(updates: readonly { readonly new: string }[]): RefSync {
  if (updates.length >= MANY && process.platform === 'linux') return 'file system'
  return updates.length >= SOME && !updates.some((update) => isZeroOid(update.new)) ? 'files' : 'git'
}

/** The arguments of one ref transaction. */
interface RefTransactionInput {
  /** The directory of the repository. */
  readonly path: string
  readonly refs: readonly string[]
  /** The updates in the format of `update-ref -z`. */
  readonly lines: string
  /** Called when git has locked all refs; if it rejects, nothing moves. */
  readonly confirm: Confirm | undefined
}

/**
 * Moves all refs or none by one git process, which completes the moves even if this process is killed. Returns false,
 * with nothing moved, if this machine cannot sync a file system. Throws GitError `failed` with git's message if git
 * refuses or has died.
 */
export async function moveByGit(
  command: GitCommand,
  sync: RefSync,
  { path, refs, lines, confirm }: RefTransactionInput,
): Promise<boolean> {
  const child = command.start(UPDATE_REF, sync === 'git' ? {} : { settings: [['core.fsync', 'none']] })
  const output = new ProcessOutput(child)
  const deadline = sync === 'file system' ? DEADLINE_MS : command.deadline
  const { stdin } = child
  // NOTE: without a commit git aborts at the end of its input and removes its locks; a killed git would leave them.
  const timers = [setTimeout(() => stdin.end(), deadline), setTimeout(() => child.kill('SIGKILL'), deadline + GRACE_MS)]
  try {
    stdin.write(`start\0${lines}prepare\0`)
    if (await output.waitFor('prepare: ok\n')) {
      if (!(await syncPrepared(sync, path, refs))) return false
      await confirm?.()
      stdin.end('commit\0')
    }
    if (await output.waitFor('commit: ok\n')) return true
  } finally {
    stdin.end()
    await output.ended
    for (const timer of timers) clearTimeout(timer)
  }
  throw output.failure()
}

/** NOTE: git has written every new value into the ref's lock file, which the commit renames. */
async function syncPrepared(sync: RefSync, path: string, refs: readonly string[]): Promise<boolean> {
  if (sync === 'file system') return await syncFileSystem(path)
  if (sync === 'files') await Promise.all(refs.map((ref) => syncFile(join(path, `${ref}.lock`))))
  return true
}

/** The output of a running git process. */
class ProcessOutput {
  readonly ended: Promise<void>
  #stderr = ''
  #stdout = ''
  #hasEnded = false
  #changed = Promise.withResolvers<void>()

  constructor(child: Child) {
    child.stdout.on('data', (chunk: Buffer) => {
      this.#stdout += chunk.toString('latin1')
      this.#notify()
    })
    child.stderr.on('data', (chunk: Buffer) => (this.#stderr += chunk.toString('utf8')))
    this.ended = once(child, 'close').then(
      () => this.#end(),
      (error: unknown) => this.#end(String(error)),
    )
  }

  /** Resolves with true once standard output contains `text`, with false if git ends without it. */
  async waitFor(text: string): Promise<boolean> {
    while (!this.#stdout.includes(text) && !this.#hasEnded) await this.#changed.promise
    return this.#stdout.includes(text)
  }

  /** The error that git printed; call it after the end. */
  failure(): GitError {
    return new GitError('failed', `git update-ref ended: ${this.#stderr.trim().slice(0, 2000)}`)
  }

  #end(stderr = ''): void {
    this.#stderr += stderr
    this.#hasEnded = true
    this.#notify()
  }

  #notify(): void {
    const { resolve } = this.#changed
    this.#changed = Promise.withResolvers<void>()
    resolve()
  }
}

/** Runs `sync -f` of coreutils or busybox: everything written to the file system so far is on disk when it ends. */
async function syncFileSystem(path: string): Promise<boolean> {
  try {
    const { code } = await runProcess('sync', ['-f', path], { deadline: DEADLINE_MS })
    return code === 0
  } catch (error) {
    if (error instanceof ProcessError) return false
    throw error
  }
}
