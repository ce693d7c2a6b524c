import type { Clock } from '../platform/clock.ts'
import { KeyedMutex, Semaphore } from '../platform/concurrency/lock-table.ts'
import { onlyProcess, type Processes } from '../platform/concurrency/processes.ts'
import type { Logger } from '../platform/logger.ts'
import { RepoLock } from './disk/repo-lock.ts'
import type { Layout } from './disk/layout.ts'
import { type CommandSlots, spacedStarts } from './engine/command.ts'
import { GraphThread } from './engine/graph/graph-thread.ts'
import { createMemo, type Memo } from './engine/memo.ts'
import { createObjectCache, type ObjectCache } from './engine/read/objects.ts'
import { ReaderPool } from './engine/read/reader-pool.ts'

/** Limits of the git layer, in bytes and milliseconds. */
export interface GitLimits {
  /** Memory for parsed objects of all repositories. */
  readonly objectCacheBytes: number
  /** Memory for results: log pages, counts, diff statistics. */
  readonly resultCacheBytes: number
  /** `git cat-file` processes in total, and per repository. */
  readonly maxReaders: number
  readonly readersPerRepo: number
  readonly idleReader: number
  /** Short git commands at once, and commands that write at a client's pace. */
  readonly maxCommands: number
  readonly maxPacedCommands: number
  /** Time limit of reading one object or of one short command. */
  readonly deadline: number
  /** Memory of one command that a request may trigger: a few small objects can expand to billions of files. */
  readonly maxMemory: number
}

export const DEFAULT_LIMITS: GitLimits = {
  objectCacheBytes: 48 * 1024 * 1024,
  resultCacheBytes: 24 * 1024 * 1024,
  maxReaders: 24,
  readersPerRepo: 2,
  idleReader: 60_000,
  maxCommands: 8,
  maxPacedCommands: 32,
  deadline: 30_000,
  maxMemory: 512 * 1024 * 1024,
}

/** State shared by all repositories. One per process. */
export interface GitState {
  readonly layout: Layout
  readonly log: Logger
  readonly clock: Clock
  readonly limits: GitLimits
  readonly slots: CommandSlots
  readonly pool: ReaderPool
  readonly objects: ObjectCache
  readonly memo: Memo
  readonly graph: GraphThread
  /** Serializes writers of refs per repository (by path). */
  readonly refMutex: KeyedMutex
  /** Serializes creation and maintenance per repository or pool (by path). */
  readonly diskMutex: KeyedMutex
  readonly repoLock: RepoLock
  /** Paths of the quarantines of pushes in progress; those of other processes are recognised by age. */
  readonly quarantines: Set<string>
  /** Wall-clock milliseconds, to recognise locks and leftovers of an earlier process. */
  readonly startedAt: number
  /** True if processes on other machines also change the repositories. */
  readonly acrossMachines: boolean
  /** Notifies other processes of a change in the repository with this storage key; a no-op if there are none. */
  announce(change: RepoChange, storage: string): void
}

type RepoChange = 'refs moved' | 'packs replaced'

/** The interface of the git layer to the processes that serve the same repositories. */
export type GitProcesses = Pick<
  Processes,
  'locks' | 'startedAt' | 'acrossMachines' | 'announce' | 'onAnnounced' | 'onMissed'
>

interface StateOptions {
  readonly log: Logger
  readonly clock: Clock
  readonly limits: GitLimits
  /** Undefined if this is the only process. */
  readonly processes?: GitProcesses | undefined
}

export function createState(layout: Layout, { log, clock, limits, processes = onlyProcess() }: StateOptions): GitState {
  const { locks, startedAt, acrossMachines } = processes
  return {
    layout,
    log,
    clock,
    limits,
    slots: {
      short: new Semaphore(limits.maxCommands),
      paced: new Semaphore(limits.maxPacedCommands),
      start: spacedStarts(),
    },
    pool: new ReaderPool(limits),
    objects: createObjectCache(limits.objectCacheBytes),
    memo: createMemo(limits.resultCacheBytes),
    graph: new GraphThread(log),
    refMutex: new KeyedMutex({ name: 'refs', locks }),
    diskMutex: new KeyedMutex({ name: 'disk', locks }),
    repoLock: new RepoLock(locks),
    quarantines: new Set(),
    startedAt,
    acrossMachines,
    announce(change, storage) {
      if (acrossMachines) processes.announce(change, storage)
    },
  }
}
