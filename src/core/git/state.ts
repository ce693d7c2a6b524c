import type { Clock } from '../platform/clock.ts'
import { KeyedMutex, Semaphore } from '../platform/concurrency/lock-table.ts'
import { onlyProcess, type Processes } from '../platform/concurrency/processes.ts'
import type { Logger } from '../platform/logger.ts'
import { RepoGate } from './disk/gate.ts'
import type { Layout } from './disk/layout.ts'
import type { CommandSlots } from './engine/command.ts'
import { GraphThread } from './engine/graph/graph-thread.ts'
import { createMemo, type Memo } from './engine/memo.ts'
import { createObjectCache, type ObjectCache } from './engine/read/objects.ts'
import { ReaderPool } from './engine/read/reader-pool.ts'

/** Bounds of the git layer. Bytes and milliseconds. */
export interface GitLimits {
  /** Parsed objects of all repositories. */
  readonly objectCacheBytes: number
  /** Results: pages of logs, counts, diff statistics. */
  readonly resultCacheBytes: number
  /** `git cat-file` processes in all, and of one repository. */
  readonly maxReaders: number
  readonly readersPerRepo: number
  readonly idleReader: number
  /** Short git commands at once, and those written at a client's pace. */
  readonly maxCommands: number
  readonly maxPacedCommands: number
  /** For one object or one short command. */
  readonly deadline: number
  /** Of its own, for one command that a request may order: a few small objects can stand for billions of files. */
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

/** What all repositories share. One per process. */
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
  /** Writers of refs, one at a time per repository (by path). */
  readonly refMutex: KeyedMutex
  /** Makers and maintainers of repositories and pools, one at a time each (by path). */
  readonly diskMutex: KeyedMutex
  readonly gate: RepoGate
  /** Paths of the quarantines of pushes in progress; those of other processes are recognised by their age. */
  readonly quarantines: Set<string>
  /** Wall-clock milliseconds, to recognise locks and leftovers of an earlier process. */
  readonly startedAt: number
  /** Processes on other machines change the repositories too. */
  readonly acrossMachines: boolean
  /** Tells them what changed in the repository with this storage key; costs nothing where there are none. */
  announce(change: RepoChange, storage: string): void
}

type RepoChange = 'refs moved' | 'packs replaced'

/** What the git layer needs of the processes that serve the same repositories. */
export type GitProcesses = Pick<
  Processes,
  'locks' | 'startedAt' | 'acrossMachines' | 'announce' | 'onAnnounced' | 'onMissed'
>

interface StateOptions {
  readonly log: Logger
  readonly clock: Clock
  readonly limits: GitLimits
  /** Undefined where this is the only process. */
  readonly processes?: GitProcesses | undefined
}

export function createState(layout: Layout, { log, clock, limits, processes = onlyProcess() }: StateOptions): GitState {
  const { locks, startedAt, acrossMachines } = processes
  return {
    layout,
    log,
    clock,
    limits,
    slots: { short: new Semaphore(limits.maxCommands), paced: new Semaphore(limits.maxPacedCommands) },
    pool: new ReaderPool(limits),
    objects: createObjectCache(limits.objectCacheBytes),
    memo: createMemo(limits.resultCacheBytes),
    graph: new GraphThread(log),
    refMutex: new KeyedMutex({ name: 'refs', locks }),
    diskMutex: new KeyedMutex({ name: 'disk', locks }),
    gate: new RepoGate(locks),
    quarantines: new Set(),
    startedAt,
    acrossMachines,
    announce(change, storage) {
      if (acrossMachines) processes.announce(change, storage)
    },
  }
}
