import type { Core } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  branchRef,
  type Commit,
  RefConflictError,
  type Target,
  createPathLookup,
  type GitRepo,
  type PathLookup,
} from '../../../../core/git/index.ts'
import { forbidden, invalid, locked, unauthenticated, unavailable } from '../../../../core/platform/errors.ts'
import { KeyedMutex } from '../../../../core/platform/concurrency/keyed-mutex.ts'
import type { LfsObjects } from '../../lfs/objects/lfs-objects.service.ts'
import { PushRefusedError, type Pushes } from '../../pushes/pushes.service.ts'
import { type CommitSigner, type RepoInView, findBranchWriter, renewAccess } from '../../../repositories/index.ts'
import { findUserById } from '../../../accounts/index.ts'
import type { Verification } from '../../verification/verification.ts'
import type { Verifier } from '../../verification/verifier.service.ts'
import { commitFiles } from './commit-files.ts'
import { findPlace, type Place } from './find-place.ts'
import { type FileChange, type Signatures, signaturesFor } from './commit-request.ts'
import type { EntryReader, EntryView } from '../read/contents.service.ts'
import type { SharedLocks } from '../../../../core/platform/concurrency/lock-table.ts'
import type { FileOperation } from './file-operations.ts'

const ENTRY_PARTS = { content: true, lfs: true, lastCommit: true }
const AT_ONCE = 16

/** The entries at the paths of the operations after their commit; undefined for a deleted path. */
async function readWritten(
  git: GitRepo,
  reader: EntryReader,
  { target, commit }: { readonly target: Target; readonly commit: Commit },
  operations: readonly FileOperation[],
): Promise<readonly (EntryView | undefined)[]> {
  const find = createPathLookup((oid) => git.objects.tree(oid), commit.tree)
  const findBefore = await lookupBefore(git, commit)
  const view = async ({ kind, path }: FileOperation): Promise<EntryView | undefined> => {
    const entry = kind === 'delete' ? undefined : await find(path)
    if (entry === undefined) return undefined
    const before = await findBefore(path)
    const isChanged = before?.oid !== entry.oid || before.mode !== entry.mode
    return reader.one(git, target, { path, entry, ...(isChanged && { lastCommit: commit }) }, ENTRY_PARTS)
  }
  const views: (EntryView | undefined)[] = []
  for (let at = 0; at < operations.length; at += AT_ONCE)
    views.push(...(await Promise.all(operations.slice(at, at + AT_ONCE).map(view))))
  return views
}

async function lookupBefore(git: GitRepo, { parents: [parent] }: Commit): Promise<PathLookup> {
  const tree = parent === undefined ? undefined : (await git.objects.commit(parent)).tree
  return createPathLookup((oid) => git.objects.tree(oid), tree)
}

export interface FileChangeResult {
  readonly target: Target
  readonly commit: Commit
  readonly verification: Verification
  /** One for each operation, undefined for a deleted path. */
  readonly entries: readonly (EntryView | undefined)[]
}

/** The text of the 403 for callers who may not write the branch. */
export const NO_WRITER = 'user should have a permission to write to the target branch'

interface FileWriterDeps extends Pick<Core, 'database' | 'git' | 'clock'> {
  readonly pushes: Pushes
  readonly reader: EntryReader
  readonly verifier: Verifier
  readonly noReplyDomain: string
  /** Of all processes; undefined where this is the only one. */
  readonly locks: SharedLocks | undefined
  readonly signer: CommitSigner | undefined
  /** Stores the files that attributes assign to LFS; undefined where LFS is off. */
  readonly lfs: Pick<LfsObjects, 'upload'> | undefined
}

const MAX_ATTEMPTS = 5

export type FileWriter = ReturnType<typeof createFileWriter>

export function createFileWriter(deps: FileWriterDeps) {
  const { database, git, clock, pushes, reader, verifier, noReplyDomain, signer, lfs } = deps
  const writing = new KeyedMutex({ name: 'contents', locks: deps.locks })

  async function commit(
    caller: SignedIn,
    { repo }: RepoInView,
    change: FileChange,
    signatures: Signatures,
  ): Promise<{ place: Place; oid: string }> {
    // NOTE: earlier writes were waited for.
    const { actor, ...target } = await renewAccess(database.read, caller, repo)
    const opened = git.open(target.repo)
    const place = await findPlace({ read: database.read, pushes }, opened, target.repo, change)
    const pusher = await findBranchWriter(database.read, actor, target, place.name)
    if (pusher === undefined) throw forbidden(NO_WRITER)
    const oid = await commitFiles(opened, place.parent, change, { ...signatures, signer, lfs, repo: target.repo })
    const moves = [{ ref: branchRef(place.name), oldOid: place.oldOid, newOid: oid }]
    await pushes.push(actor, { ...target, access: pusher.access }, moves, { pusher: pusher.viewer })
    return { place, oid }
  }

  /** NOTE: a concurrent push may move the branch; then everything is checked again on the new tip. */
  async function retry<T>(actor: SignedIn, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof PushRefusedError) throw fromRefusal(error, actor)
        if (!(error instanceof RefConflictError)) throw error
        if (error.reason === 'name-clash') throw invalid(`branch already exists [name: ${shortName(error.ref)}]`)
      }
    }
    throw unavailable('the branch moves too often, try again')
  }

  return {
    /** Whether the actor may write any branch of the repository. */
    mayWrite: async (actor: SignedIn, target: RepoInView): Promise<boolean> =>
      (await findBranchWriter(database.read, actor, target)) !== undefined,
    /**
     * Commits the operations to a branch. Throws NotFound, Invalid, Forbidden and Locked
     * (behaviour/git-data-and-transport#writing-contents).
     */
    async change(actor: SignedIn, target: RepoInView, change: FileChange): Promise<FileChangeResult> {
      const { repo } = target
      if (repo.isArchived || repo.isMirror) throw locked(`${repo.fullName} is not allowed to edit`)
      const caller = await findUserById(database.read, actor.account.id)
      if (caller === undefined) throw unauthenticated()
      const signatures = signaturesFor(change, caller, noReplyDomain, clock.now())
      const opened = git.open(repo)
      const made = await writing.run(String(repo.id), () =>
        opened.writing(() => retry(actor, () => commit(actor, target, change, signatures))),
      )
      const done = await opened.objects.commit(made.oid)
      const named: Target = { kind: 'branch', name: made.place.name, commit: made.oid }
      const entries = await readWritten(opened, reader, { target: named, commit: done }, change.operations)
      return {
        target: named,
        commit: done,
        verification: (await verifier.ofCommits(opened, [done])).get(done.oid)!,
        entries,
      }
    },
  }
}

/**
 * The error that clients of file writes expect for a refusal by the push rules
 * (behaviour/git-data-and-transport#writing-contents).
 */
export function fromRefusal({ refusal, message }: PushRefusedError, actor: SignedIn): Error {
  if (refusal.path !== undefined) return forbidden(`path is protected and can not be changed [path: ${refusal.path}]`)
  return forbidden(
    refusal.reason === 'push' || refusal.reason === 'access'
      ? `user cannot commit to repo [user: ${actor.account.name}]`
      : message,
  )
}

const shortName = (ref: string): string => ref.replace('refs/heads/', '')
