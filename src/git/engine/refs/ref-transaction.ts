import { once } from 'node:events'
import { join } from 'node:path'
import type { Confirm } from '../../../platform/concurrency/lock-table.ts'
import { syncFile } from '../../../platform/files/durable.ts'
import { type Child, ProcessError, runProcess } from '../../../platform/process/process.ts'
import { GitError } from '../../errors.ts'
import type { GitCommand } from '../command.ts'
import { isZeroOid } from '../object/format.ts'

/**
 * Refs from which syncing the file system once is faster than syncing each: a push of thousands of tags took half a
 * minute.
 */
const MANY = 100
/** Refs from which this process syncs their files, all at once: git syncs one after the other. */
const SOME = 3
const DEADLINE_MS = 300_000
/** For git to give up by itself. */
const GRACE_MS = 10_000
export const UPDATE_REF = ['update-ref', '--no-deref', '--stdin', '-z']

export const isManyRefs = (count: number): boolean => count >= MANY && process.platform === 'linux'

/** NOTE: a deletion rewrites packed-refs, which git has to sync. */
export const isSyncedHere = (updates: readonly { readonly new: string }[]): boolean =>
  updates.length >= SOME && !updates.some((update) => isZeroOid(update.new))

/** What one transaction of refs needs. */
interface RefMoves {
  /** The directory of the repository. */
  readonly path: string
  readonly refs: readonly string[]
  /** The updates as `update-ref -z` reads them. */
  readonly lines: string
  /** Called when git has locked all refs; nothing moves when it rejects. */
  readonly confirm: Confirm | undefined
}

/**
 * Moves refs in one transaction, durably, with one sync for all: git has written and locked every ref before anything
 * is synced, and renames them afterwards. False when this machine cannot sync a file system; nothing has moved then.
 * GitError `failed` with git's words when git refuses.
 */
export async function moveManyRefs(command: GitCommand, { path, lines, confirm }: RefMoves): Promise<boolean> {
  const child = command.start(UPDATE_REF, { settings: [['core.fsync', 'none']] })
  const output = new ProcessOutput(child)
  // NOTE: without a commit git gives everything up at the end of its input, its locks included; killed it would leave
  // them.
  const timers = [
    setTimeout(() => child.stdin.end(), DEADLINE_MS),
    setTimeout(() => child.kill('SIGKILL'), DEADLINE_MS + GRACE_MS),
  ]
  try {
    child.stdin.write(`start\0${lines}prepare\0`)
    if (await output.waitFor('prepare: ok\n')) {
      if (!(await syncFileSystem(path))) return false
      await confirm?.()
      child.stdin.end('commit\0')
    }
    if (await output.waitFor('commit: ok\n')) return true
    throw output.failure()
  } finally {
    child.stdin.end()
    await output.ended
    for (const timer of timers) clearTimeout(timer)
  }
}

/**
 * A git process that waits for the updates of one transaction: started while a push is unpacked, so that its
 * start takes no time of the push. It reads nothing of the repository before it receives the updates.
 */
export class RefMover {
  readonly #child: Child
  readonly #output: ProcessOutput
  readonly #deadline: number
  readonly #syncs: boolean
  #isUsed = false

  /** `syncs`: git syncs nothing, this process syncs the files of all refs; for transactions that delete none. */
  constructor(command: GitCommand, { syncs }: { readonly syncs: boolean }) {
    this.#deadline = command.deadline
    this.#syncs = syncs
    this.#child = command.start(UPDATE_REF, syncs ? { settings: [['core.fsync', 'none']] } : {})
    this.#output = new ProcessOutput(this.#child)
  }

  /** Moves all refs or none. Once; GitError `failed` with git's words when git refuses or is not there any more. */
  async move({ path, refs, lines, confirm }: RefMoves): Promise<void> {
    this.#isUsed = true
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), this.#deadline)
    try {
      if (confirm === undefined && !this.#syncs) this.#child.stdin.end(`start\0${lines}prepare\0commit\0`)
      else {
        this.#child.stdin.write(`start\0${lines}prepare\0`)
        if (await this.#output.waitFor('prepare: ok\n')) {
          // NOTE: git has written every new value into the lock file of its ref, which the commit renames.
          if (this.#syncs) await Promise.all(refs.map((ref) => syncFile(join(path, `${ref}.lock`))))
          await confirm?.()
          this.#child.stdin.end('commit\0')
        }
      }
      if (await this.#output.waitFor('commit: ok\n')) return
    } finally {
      // NOTE: without a commit git releases its locks at the end of its input.
      this.#child.stdin.end()
      await this.#output.ended
      clearTimeout(timer)
    }
    throw this.#output.failure()
  }

  /** Ends the process if it was not needed: it holds no lock then. */
  close(): void {
    if (!this.#isUsed) this.#child.kill('SIGKILL')
  }
}

/** What a running git process has written to its two outputs. */
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

  /** True once the standard output contains `text`, false when git ends without it. */
  async waitFor(text: string): Promise<boolean> {
    while (!this.#stdout.includes(text) && !this.#hasEnded) await this.#changed.promise
    return this.#stdout.includes(text)
  }

  /** After the end: the error that git printed. */
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

/** `sync -f` of coreutils and of busybox: everything written to the file system so far is on disk when it ends. */
async function syncFileSystem(path: string): Promise<boolean> {
  try {
    const { code } = await runProcess('sync', ['-f', path], { deadline: DEADLINE_MS })
    return code === 0
  } catch (error) {
    if (error instanceof ProcessError) return false
    throw error
  }
}
