import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Confirm } from '../../platform/concurrency/lock-table.ts'
import { removeTree } from '../../platform/files/durable.ts'
import type { GitCommand, Settings } from '../engine/command.ts'
import { isGitError } from '../errors.ts'
import { FILTERS, filterArgs } from './commit-graph.ts'
import type { RepoLock } from './repo-lock.ts'
import type { Layout } from './layout.ts'
import { clearAllStaleLocks } from './locks.ts'
import { poolOf } from './pool.ts'
import { deleteStaleQuarantines } from './quarantine.ts'
import { type DiskUse, measureRepo } from './size.ts'

/**
 * `push` runs after pushes and packs new objects cheaply. `full` runs periodically and also expires unreachable
 * objects.
 */
export type MaintenanceReason = 'push' | 'full'

export interface MaintenanceContext {
  readonly path: string
  readonly command: GitCommand
  readonly repoLock: RepoLock
  /** See GitState. */
  readonly quarantines: ReadonlySet<string>
  readonly startedAt: number
  /** Called after packs were replaced: readers with open handles to the old ones should end. */
  onRepacked(): void
  /** Confirms the maintenance lock where it can be lost; called before objects or ref files are deleted. */
  readonly confirm: Confirm | undefined
}

export const DEADLINE_MS = 2 * 60 * 60 * 1000
const GRACE_MS = 24 * 60 * 60 * 1000
const EXPIRE = '2.weeks.ago'
/** One thread and limited memory: requests have priority. */
export const LOW_PRIORITY: Settings = [
  ['pack.threads', '1'],
  ['pack.windowMemory', '128m'],
  ['core.bigFileThreshold', '64m'],
]
const MAX_LOOSE_OBJECTS = 100
const MAX_PACKS = 4
const MIN_INDEXED_PACK_BYTES = 1024 * 1024
const MAX_LOOSE_REFS = 32

/**
 * Safe during reads and pushes: git repacks and keeps every object that is reachable or younger than two weeks. Only
 * leftovers of killed processes are deleted here, and only while nothing writes.
 */
export async function maintainRepo(context: MaintenanceContext, reason: MaintenanceReason): Promise<void> {
  const { path, command } = context
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<unknown> =>
    command.run(args, {
      env,
      deadline: DEADLINE_MS,
      maxMemory: Number.POSITIVE_INFINITY,
      settings: LOW_PRIORITY,
      paced: true,
    })
  const runLocked = async (args: readonly string[]): Promise<void> => {
    await context.confirm?.()
    await run(args)
  }
  await deleteLeftovers(context)
  const use = await measureRepo(path)
  if (reason === 'full' || (await looseRefs(join(path, 'refs'))) > MAX_LOOSE_REFS)
    await runLocked(['pack-refs', '--all', '--prune'])
  // The commit-graph comes before the repack, which takes minutes after a large push: history walks are slow without
  // it.
  if (use.packs + use.looseObjects > 0) await run(await filterArgs(path), FILTERS)
  const borrows = (await poolOf(path)) !== undefined
  if (reason === 'full' || (await needsRepack(path, use, borrows))) {
    await runLocked(repackArgs(reason, use, borrows))
    context.onRepacked()
  }
}

function repackArgs(reason: MaintenanceReason, use: DiskUse, borrows: boolean): string[] {
  // NOTE: bitmaps need all objects in the repository itself, and git < 2.41 cannot repack geometrically with
  // alternates.
  if (borrows) {
    return reason === 'full' || use.packs > MAX_PACKS * 2
      ? ['repack', '-A', '-d', '-l', '-q', `--unpack-unreachable=${EXPIRE}`]
      : ['repack', '-d', '-l', '-q']
  }
  const bitmaps = ['--write-midx', '--write-bitmap-index']
  if (reason === 'full') return ['repack', '--cruft', `--cruft-expiration=${EXPIRE}`, '-d', '-l', '-q', ...bitmaps]
  return ['repack', '--geometric=2', '-d', '-l', '-q', ...bitmaps]
}

async function needsRepack(path: string, use: DiskUse, borrows: boolean): Promise<boolean> {
  if (use.looseObjects > MAX_LOOSE_OBJECTS || use.packs > MAX_PACKS) return true
  if (borrows || use.packBytes < MIN_INDEXED_PACK_BYTES) return false
  const names = await readdir(join(path, 'objects/pack'))
  return !names.some((name) => name.endsWith('.bitmap'))
}

type Leftovers = Pick<MaintenanceContext, 'path' | 'repoLock' | 'quarantines' | 'startedAt'>

/** Deletes the leftovers of killed pushes, also in repositories that get no pushes and therefore no maintenance. */
export async function clearKilledPushes(context: Leftovers): Promise<void> {
  const objects = await readdir(join(context.path, 'objects')).catch(() => [])
  const refs = await readdir(join(context.path, 'refs'), { recursive: true }).catch(() => [])
  if (objects.some((name) => name.startsWith('tmp_')) || refs.some((name) => name.endsWith('.lock')))
    await deleteLeftovers(context)
}

async function deleteLeftovers({ path, repoLock, quarantines, startedAt }: Leftovers): Promise<void> {
  try {
    await repoLock.exclusive(path, async (confirm) => {
      await confirm?.()
      clearAllStaleLocks(path, startedAt)
      await deleteStaleQuarantines(path, quarantines, Math.max(startedAt - 1000, wallClock() - GRACE_MS))
    })
  } catch (error) {
    if (!isGitError(error, 'busy')) throw error // in use: the next run deletes them
  }
}

async function looseRefs(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).length
}

/** A pool keeps every object it ever had, since no record says which objects its forks still reach. */
export async function maintainPool(path: string, command: GitCommand): Promise<boolean> {
  const use = await measureRepo(path)
  if (use.packs <= MAX_PACKS && use.looseObjects <= MAX_LOOSE_OBJECTS) return false
  await command.run(['repack', '-a', '-d', '-k', '-q'], {
    deadline: DEADLINE_MS,
    maxMemory: Number.POSITIVE_INFINITY,
    settings: LOW_PRIORITY,
    paced: true,
  })
  return true
}

/**
 * Empties the trash, and removes repositories whose creation was interrupted before this server started or a day ago.
 * Returns how many it removed.
 */
export async function emptyTrash(layout: Layout, startedAt: number): Promise<number> {
  let deleted = 0
  for (const [folder, olderThan] of [
    [layout.trash, Number.POSITIVE_INFINITY],
    [layout.staging, startedAt === 0 ? wallClock() - GRACE_MS : startedAt],
  ] as const) {
    for (const name of await readdir(folder)) {
      const path = join(folder, name)
      const info = await stat(path).catch(() => undefined)
      if (!info || info.mtimeMs >= olderThan) continue
      await removeTree(path)
      deleted++
    }
  }
  return deleted
}

const wallClock = (): number => performance.timeOrigin + performance.now()
