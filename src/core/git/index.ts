/** The git layer's entry point: code above it reaches repositories only through this module. */
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
} from './disk/maintenance.ts'
import { forkOnDisk, leavePool, listPools, poolOf, removeEmptyPools } from './disk/pool.ts'
import { type DiskUse, measureRepo } from './disk/size.ts'
import { createCommand } from './engine/command.ts'
import type { ObjectFormat } from './engine/object/format.ts'
import { createRemotes, type Remotes } from './remote/remotes.ts'
import { createRepo, type GitRepo } from './repo.ts'
import { createState, DEFAULT_LIMITS, type GitLimits, type GitProcesses, type GitState } from './state.ts'
import { requireGitVersion } from './version.ts'

export { isGitError, RefConflictError, fromGit } from './errors.ts'
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
export type { BlameHunk } from './engine/history/blame.ts'
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
export type { DiffSide, DiffSpan, FileLines } from './engine/diff/diff-texts.ts'
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
export { CREDENTIALS_CONTEXT, openCredentials, sealCredentials } from './remote/sealed-credentials.ts'
export type { ReceivedRefs, RemoteRefs, TransferOptions } from './remote/remotes.ts'
export type { GitRepo } from './repo.ts'
export { DEFAULT_LIMITS, type GitLimits } from './state.ts'
export * from './wire/index.ts'

export interface GitOptions {
  /** Directory of all repositories; created if missing. */
  readonly root: string
  readonly log: Logger
  readonly clock: Clock
  readonly limits?: Partial<GitLimits>
  /** The processes that serve the same repositories; without them this is the only process. */
  readonly processes?: GitProcesses
}

/**
 * Repositories by storage key: `ab/abcdef0123…`, with the suffix `.wiki` for a wiki. The caller chooses a key once and
 * never reuses it for another repository; renames and transfers do not touch the disk.
 */
export interface Git {
  /** The version of the installed git, e.g. `2.39.5`. */
  readonly version: string
  /**
   * Creates a bare repository durably, with a first commit if given, without a git process. Throws GitError `exists` if
   * the key is in use.
   */
  createRepo(storage: string, repo: NewRepo & { readonly firstCommit?: FirstCommit }): Promise<CreatedRepo>
  /**
   * Creates a fork that shares the source's objects: only the chosen refs are copied. Removing or repacking one never
   * harms the other.
   */
  forkRepo(from: RepoAddress, to: string, options: ForkOptions): Promise<void>
  /** Disk usage in bytes by kind, measured without a process. */
  measureRepo(storage: string): Promise<DiskUse>
  /** Repacks, indexes and cleans a repository; safe during reads and pushes. For background jobs. */
  maintain(repo: RepoAddress, reason: MaintenanceReason): Promise<void>
  /**
   * Maintains a bundle of the branches and tags for a repository whose packs have at least `minBytes`, and removes that
   * of a smaller one. Returns true if a new bundle was written. For background jobs.
   */
  refreshBundle(repo: RepoAddress, minBytes: number): Promise<boolean>
  /** Opens the bundle of a repository; undefined if there is none. The caller closes the file. */
  openBundle(storage: string): Promise<OpenBundle | undefined>
  /** At most twenty lines of errors from `git fsck`. Throws GitError `no-repo` if the repository does not exist. */
  check(repo: RepoAddress, depth: CheckDepth): Promise<readonly string[]>
  /**
   * Copies all repositories to another root while the server runs; a second call copies only changes. Returns the
   * numbers of files and bytes.
   */
  copyAll(root: string, done?: (storage: string) => void): Promise<{ readonly files: number; readonly bytes: number }>
  /** Deletes removed repositories and leftovers, and collects objects that forks share. For background jobs. */
  cleanUp(): Promise<CleanUpReport>
  /** Removes the repository; a background job deletes its files later. Returns false if there was none. */
  removeRepo(storage: string): Promise<boolean>
  repoExists(storage: string): Promise<boolean>
  /** Deletes the programs in the repository's hooks directory, which are never run. */
  removeHooks(storage: string): Promise<void>
  /** Every repository on disk, in batches, in no particular order. */
  listStored(): AsyncIterable<readonly StoredRepo[]>
  path(storage: string): string
  open(repo: RepoAddress): GitRepo
  /** Repositories that operators have provided for import. */
  readonly adoptions: Adoptions
  /** Repositories on other servers. */
  readonly remotes: Remotes
  /** Processes that currently read the repository, for metrics and tests. */
  readerPids(storage: string): readonly number[]
  close(): void
}

interface CreatedRepo {
  /** Id of the first commit, if there is one. */
  readonly head: string | undefined
}

interface ForkOptions {
  readonly defaultBranch: string
  /** Selects the fork's refs by full name; branches and tags if absent. */
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

/** Repositories whose readers and refs are cached, some 20 KB each; the limit holds for a walk over all of them too. */
const MAX_OPEN = 1000

/** Checks the installed git (>= 2.38) and the directory. Call it once per process. */
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
    // Each opening has its own number, so that nothing cached under an earlier one is visible.
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

/** Drops cached state that processes on other machines changed: file times show such changes late here. */
function followOthers(processes: GitProcesses, state: GitState, repos: BoundedCache<string, GitRepo>): void {
  processes.onAnnounced('refs moved', (storage) => repos.peek(storage)?.refs.movedElsewhere())
  // NOTE: a reader with deleted packs open would get errors from a network file system.
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

function maintain(state: GitState, repo: GitRepo, reason: MaintenanceReason): Promise<void> {
  const { repoLock, quarantines, startedAt } = state
  const { path, command } = repo
  const onRepacked = (): void => {
    dropReaders(state, path)
    state.announce('packs replaced', repo.storage)
  }
  return state.diskMutex.run(path, (confirm) =>
    maintainRepo({ path, command, repoLock, quarantines, startedAt, onRepacked, confirm }, reason),
  )
}

async function cleanUp(state: GitState, layout: Layout): Promise<CleanUpReport> {
  const { repoLock, quarantines, startedAt } = state
  for await (const stored of listOnDisk(layout)) {
    for (const { storage } of stored)
      await clearKilledPushes({ path: layout.repo(storage), repoLock, quarantines, startedAt })
  }
  const pools = await removeEmptyPools(layout, state.diskMutex, performance.timeOrigin + performance.now())
  for (const pool of await listPools(layout)) {
    await state.diskMutex.run(pool, () => maintainPool(pool, createCommand(pool, state.slots, state.limits)))
  }
  return { deleted: await emptyTrash(layout, state.startedAt), pools }
}
