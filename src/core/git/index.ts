/** The git layer's face. Everything above reaches repositories through this module only. */
import { join } from 'node:path'
import type { Clock } from '../platform/clock.ts'
import { removeTree } from '../platform/files/durable.ts'
import type { Logger } from '../platform/logger.ts'
import { type BoundedCache, boundedCache } from '../platform/lru.ts'
import { type Adoptions, createAdoptions } from './disk/adopt.ts'
import { openBundle, type OpenBundle, refreshBundle } from './disk/bundle.ts'
import { type CheckDepth, checkRepo } from './disk/check.ts'
import { copyRepos } from './disk/copy.ts'
import { createOnDisk, existsOnDisk, type NewRepo, removeOnDisk } from './disk/create.ts'
import { type FirstCommit, writeFirstCommit } from './disk/first-commit.ts'
import { createLayout, type Layout } from './disk/layout.ts'
import { listOnDisk, type StoredRepo } from './disk/list.ts'
import {
  clearKilledPushes,
  DEADLINE_MS,
  emptyTrash,
  LOW_PRIORITY,
  maintainPool,
  maintainRepo,
  type MaintenanceReason,
  type MaintenanceReport,
} from './disk/maintenance.ts'
import { forkOnDisk, leavePool, listPools, poolOf, removeEmptyPools } from './disk/pool.ts'
import { type DiskUse, measureRepo } from './disk/size.ts'
import { createCommand } from './engine/command.ts'
import type { ObjectFormat } from './engine/object/format.ts'
import { createRemotes, type Remotes } from './remote/remotes.ts'
import { createRepo, type GitRepo } from './repo.ts'
import { createState, DEFAULT_LIMITS, type GitLimits, type GitProcesses, type GitState } from './state.ts'
import { requireGitVersion } from './version.ts'

export { isGitError, RefConflictError, fromGit, translated } from './errors.ts'
export {
  branchRef,
  isNewRefName,
  isValidBranchName,
  isValidRefName,
  isValidRefPart,
  isValidTagName,
  tagRef,
} from './engine/refs/refs.ts'
export { isOid, isZeroOid, type ObjectFormat, zeroOid } from './engine/object/format.ts'
export { type Commit, type NewCommit, signedPayload, type Identity } from './engine/object/commit.ts'
export type { NewTag, Tag } from './engine/object/tag.ts'
export { MODE, type TreeEntry } from './engine/object/tree.ts'

export type { Ref, RefSnapshot } from './engine/refs/ref-store.ts'
export { retryMoved } from './engine/refs/retry-moved.ts'
export {
  findCommitOid,
  findLooseOid,
  findReportedOid,
  findShortOid,
  findTarget,
  getTarget,
  hasBranches,
  ignoringMissing,
  requireTarget,
  type Target,
} from './engine/refs/target.ts'

export type { Incoming, IncomingCommit } from './engine/write/incoming.ts'

export type { ChangedFile, ChangedFileList, DiffTotals } from './engine/diff/changed-files.ts'
export type { DiffLine, DiffRange, DiffSide, DiffSpan, FileLines } from './engine/diff/diff-texts.ts'
export type { ConflictFile } from './engine/merge/conflict-hunks.ts'
export type { MergeOutcome, MergePlan, MergeStyle } from './engine/merge/build-merge.ts'

export type { ChangeSet } from './engine/history/changes.ts'
export type { Whitespace } from './engine/history/diff.ts'

export {
  type ObjectWriter,
  applyChanges,
  isSafePath,
  PathConflictError,
  type TreeChange,
} from './engine/write/tree-edit.ts'
export { listFiles } from './engine/read/file-list.ts'
export { createPathLookup, type PathLookup } from './engine/read/path-lookup.ts'
export { smallBlobs } from './engine/read/small-blobs.ts'
export { copyObjects } from './engine/write/copy-objects.ts'

export type { OpenBundle } from './disk/bundle.ts'

export type { FirstCommit, FirstFile } from './disk/first-commit.ts'

export type { UnadoptedRepo } from './disk/adopt.ts'

export type { NewRepo } from './disk/create.ts'
export type { Quarantine } from './disk/quarantine.ts'
export { RemoteError, type Remote, type RemoteCredentials } from './remote/remote.ts'
export type { RemoteRefs, TransferOptions } from './remote/remotes.ts'
export type { GitRepo } from './repo.ts'
export { DEFAULT_LIMITS, type GitLimits } from './state.ts'
export * from './wire/index.ts'

export interface GitOptions {
  /** Directory of all repositories; made when missing. */
  readonly root: string
  readonly log: Logger
  readonly clock: Clock
  readonly limits?: Partial<GitLimits>
  /** Those that serve the same repositories; without them this is the only process. */
  readonly processes?: GitProcesses
}

/**
 * Repositories by storage key: `ab/abcdef0123…`, with `.wiki` for a wiki. The caller chooses a key once and never uses
 * it again for another repository; renames and transfers do not touch the disk.
 */
export interface Git {
  /** Of the machine's git, e.g. `2.39.5`. */
  readonly version: string
  /**
   * Makes a bare repository durably, with its first commit if given, without a git process. GitError `exists` when the
   * key is taken.
   */
  createRepo(storage: string, repo: NewRepo & { readonly firstCommit?: FirstCommit }): Promise<CreatedRepo>
  /**
   * Makes a fork that shares the source's objects: nothing is copied but the chosen refs. Removing or repacking either
   * one never harms the other.
   */
  forkRepo(from: RepoAddress, to: string, options: ForkOptions): Promise<void>
  /** Bytes on disk and what they are, counted without a process. */
  measureRepo(storage: string): Promise<DiskUse>
  /** Repacks, indexes and cleans a repository; safe beside readers and pushes. For the background. */
  maintain(repo: RepoAddress, reason: MaintenanceReason): Promise<MaintenanceReport>
  /**
   * Keeps a bundle of the branches and tags beside a repository whose packs have at least `minBytes`, and none beside a
   * smaller one. True when a new one was made. For the background.
   */
  refreshBundle(repo: RepoAddress, minBytes: number): Promise<boolean>
  /** The bundle beside a repository; undefined when there is none. The caller closes the file. */
  openBundle(storage: string): Promise<OpenBundle | undefined>
  /** What `git fsck` finds wrong, at most twenty lines; for doctors. GitError `no-repo` when there is none. */
  check(repo: RepoAddress, depth: CheckDepth): Promise<readonly string[]>
  /**
   * Copies all repositories to another root while the server runs; called again it brings what came since. Gives files
   * and bytes.
   */
  copyAll(root: string, done?: (storage: string) => void): Promise<{ readonly files: number; readonly bytes: number }>
  /** Deletes removed repositories and leftovers, gathers the objects that forks share. For the background. */
  cleanUp(): Promise<CleanUpReport>
  /** The repository is gone when this returns; its files are deleted later in the background. False: there was none. */
  removeRepo(storage: string): Promise<boolean>
  repoExists(storage: string): Promise<boolean>
  /** Deletes the programs in the repository's hooks directory, which are never run. */
  removeHooks(storage: string): Promise<void>
  /** Every repository on disk, some at a time, in no particular order. */
  listStored(): AsyncIterable<readonly StoredRepo[]>
  path(storage: string): string
  open(repo: RepoAddress): GitRepo
  /** Repositories that operators have put aside to be taken in. */
  readonly adoptions: Adoptions
  /** Repositories on other servers. */
  readonly remotes: Remotes
  /** Processes that read the repository at the moment, for metrics and tests. */
  readerPids(storage: string): readonly number[]
  close(): void
}

interface CreatedRepo {
  /** Id of the first commit, when there is one. */
  readonly head: string | undefined
}

interface ForkOptions {
  readonly defaultBranch: string
  /** Which refs the fork gets, by full name; branches and tags when absent. */
  readonly includes?: (ref: string) => boolean
}

interface CleanUpReport {
  readonly deleted: number
  readonly pools: number
}

interface RepoAddress {
  readonly storage: string
  readonly objectFormat: ObjectFormat
}

/**
 * Repositories whose readers and refs are kept at hand: some 20 KB each, so that a walk over all of them takes no more.
 */
const MAX_OPEN = 1000

/** Checks the machine's git (>= 2.38) and the directory. One per process. */
export async function createGit(options: GitOptions): Promise<Git> {
  const version = await requireGitVersion()
  const layout = await createLayout(options.root)
  const state = createState(layout, { ...options, limits: { ...DEFAULT_LIMITS, ...options.limits } })
  const repos = boundedCache<string, GitRepo>(MAX_OPEN)
  if (options.processes !== undefined) followOthers(options.processes, state, repos)
  let opened = 0
  const open = ({ storage, objectFormat }: RepoAddress): GitRepo => {
    const cached = repos.get(storage)
    if (cached?.objectFormat === objectFormat) return cached
    // A number of its own for every opening: nothing cached before can be seen through a new one.
    const repo = createRepo(state, storage, objectFormat, `${++opened}:`)
    repos.set(storage, repo)
    return repo
  }
  return {
    version,
    open,
    async createRepo(storage, { firstCommit, ...repo }) {
      let head: string | undefined
      await createOnDisk(layout, storage, repo, async (path) => {
        if (firstCommit) head = await writeFirstCommit(path, repo.objectFormat, repo.defaultBranch, firstCommit)
      })
      return { head }
    },
    async forkRepo(from, to, { defaultBranch, includes = isBranchOrTag }) {
      const refs = (await open(from).refs.snapshot()).list('refs/').filter((ref) => includes(ref.name))
      await forkOnDisk(layout, state.diskMutex, {
        from: from.storage,
        to,
        objectFormat: from.objectFormat,
        defaultBranch,
        refs,
      })
    },
    async removeRepo(storage) {
      const pool = await poolOf(layout.repo(storage))
      const removed = await removeOnDisk(layout, storage)
      repos.delete(storage)
      dropReaders(state, layout.repo(storage))
      if (removed && pool !== undefined) await leavePool(pool, storage)
      return removed
    },
    adoptions: createAdoptions(layout),
    listStored: () => listOnDisk(layout),
    repoExists: (storage) => existsOnDisk(layout.repo(storage)),
    removeHooks: (storage) => removeTree(join(layout.repo(storage), 'hooks')),
    path: (storage) => layout.repo(storage),
    measureRepo: (storage) => measureRepo(layout.repo(storage)),
    maintain: (repo, reason) => maintain(state, open(repo), reason),
    refreshBundle: (repo, minBytes) => {
      const { path, command } = open(repo)
      return state.diskMutex.run(path, () =>
        refreshBundle({ path, command, settings: LOW_PRIORITY, deadline: DEADLINE_MS }, minBytes),
      )
    },
    openBundle: (storage) => openBundle(layout.repo(storage)),
    check: (repo, depth) => checkRepo(open(repo).command, depth),
    copyAll: (root, done) => copyRepos(layout, root, done),
    cleanUp: () => cleanUp(state, layout),
    remotes: createRemotes(layout),
    readerPids: (storage) => state.pool.pids(layout.repo(storage)),
    close: () => {
      state.pool.close()
      state.graph.close()
    },
  }
}

/** Drops what processes on other machines changed: times of files show it late there. */
function followOthers(processes: GitProcesses, state: GitState, repos: BoundedCache<string, GitRepo>): void {
  processes.onAnnounced('refs moved', (storage) => repos.peek(storage)?.refs.movedElsewhere())
  // NOTE: a reader that has deleted packs open would get errors from a network file system.
  processes.onAnnounced('packs replaced', (storage) => dropReaders(state, state.layout.repo(storage)))
  processes.onMissed(() => {
    for (const repo of repos.values()) {
      repo.refs.movedElsewhere()
      dropReaders(state, repo.path)
    }
  })
}

function dropReaders({ pool, graph }: GitState, path: string): void {
  pool.drop(path)
  graph.drop(path)
}

const isBranchOrTag = (ref: string): boolean => ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/')

function maintain(state: GitState, repo: GitRepo, reason: MaintenanceReason): Promise<MaintenanceReport> {
  const { gate, quarantines, startedAt } = state
  const { path, command } = repo
  const onRepacked = (): void => {
    dropReaders(state, path)
    state.announce('packs replaced', repo.storage)
  }
  return state.diskMutex.run(path, (confirm) =>
    maintainRepo({ path, command, gate, quarantines, startedAt, onRepacked, confirm }, reason),
  )
}

async function cleanUp(state: GitState, layout: Layout): Promise<CleanUpReport> {
  const { gate, quarantines, startedAt } = state
  for await (const stored of listOnDisk(layout)) {
    for (const { storage } of stored)
      await clearKilledPushes({ path: layout.repo(storage), gate, quarantines, startedAt })
  }
  const pools = await removeEmptyPools(layout, state.diskMutex, performance.timeOrigin + performance.now())
  for (const pool of await listPools(layout)) {
    await state.diskMutex.run(pool, () => maintainPool(pool, createCommand(pool, state.slots, state.limits)))
  }
  return { deleted: await emptyTrash(layout, state.startedAt), pools }
}
