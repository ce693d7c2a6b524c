import type { Core, Services } from '../../../../core/module.ts'
import type { SignedIn } from '../../../../core/access/viewer.ts'
import {
  branchRef,
  type Commit,
  RefConflictError,
  type Target,
  createPathLookup,
  type GitRepo,
  type PathLookup,
  isNewRefName,
  applyChanges,
  isGitError,
} from '../../../../core/git/index.ts'
import { engineErrors, forbidden, invalid, notFound, unavailable } from '../../../../core/platform/errors.ts'
import { errors } from '../../../errors.ts'
import { KeyedMutex, type SharedLocks } from '../../../../core/platform/concurrency/lock-table.ts'
import type { LfsObjects } from '../../lfs/objects/lfs-objects.service.ts'
import { PushRefusedError, type Pushes } from '../../pushes/pushes.service.ts'
import {
  type CommitSigner,
  type RepoInView,
  type Repo,
  accessQueries,
  repoQueries,
  gitWriter,
} from '../../../repositories/index.ts'
import { userQueries } from '../../../accounts/index.ts'
import type { Verification } from '../../verification/verification.ts'
import type { Verifier } from '../../verification/verifier.service.ts'
import {
  type FileChange,
  type Signatures,
  signaturesFor,
  messageFor,
  type FileOperation,
  defaultMessage,
  fromPathConflict,
  planChanges,
  requireFewDirectories,
} from './file-operations.ts'
import type { EntryReader, EntryView } from '../read/contents.service.ts'
import type { Db } from '../../../../core/db/database.ts'
import { storeLargeFiles, withPointers } from './large-files.ts'

interface Signing extends Signatures {
  readonly signer: CommitSigner | undefined
}

interface Storing {
  readonly lfs: Pick<LfsObjects, 'upload'> | undefined
  readonly repo: Repo
}

/**
 * Writes the commit of a change on top of `parent`, and stores its large files. Updates no ref. Returns the id of the
 * commit.
 */
async function commitFiles(
  git: GitRepo,
  parent: string | undefined,
  change: FileChange,
  { author, committer, signer, lfs, repo }: Signing & Storing,
): Promise<string> {
  const writer = git.writer()
  const base = parent === undefined ? undefined : (await git.objects.commit(parent)).tree
  if (change.patch !== undefined)
    return commitPatch(git, { parent, base, patch: change.patch }, change, { author, committer, signer })
  requireFewDirectories(change.operations)
  const find = createPathLookup((oid) => git.objects.tree(oid), base)
  const large = lfs && (await withPointers(git, find, change.operations))
  const changes = await planChanges(writer, find, large?.operations ?? change.operations)
  try {
    const tree = await applyChanges(writer, base, changes)
    const message = messageFor(
      change.message,
      defaultMessage(change.operations),
      change.signoff ? committer : undefined,
    )
    const oid = await gitWriter.writeCommit(
      writer,
      { tree, parents: parent === undefined ? [] : [parent], author, committer, message },
      signer,
    )
    if (lfs && large) await storeLargeFiles(lfs, repo, large)
    await writer.flush()
    return oid
  } catch (error) {
    throw fromPathConflict(error)
  }
}

const PATCH_MESSAGE = 'apply-patch'

interface Patched {
  readonly parent: string | undefined
  readonly base: string | undefined
  readonly patch: Buffer
}

async function commitPatch(
  git: GitRepo,
  { parent, base, patch }: Patched,
  change: FileChange,
  { author, committer, signer }: Signing,
): Promise<string> {
  if (base === undefined || parent === undefined) throw notFound('an empty repository has nothing to patch')
  const writer = git.writer()
  const tree = await applyPatch(git, base, patch)
  const message = messageFor(change.message, PATCH_MESSAGE, change.signoff ? committer : undefined)
  const oid = await gitWriter.writeCommit(writer, { tree, parents: [parent], author, committer, message }, signer)
  await writer.flush()
  return oid
}

async function applyPatch(git: GitRepo, tree: string, patch: Buffer): Promise<string> {
  try {
    return await git.patches.apply(tree, patch)
  } catch (error) {
    throw isGitError(error, 'invalid') ? invalid(`the patch does not apply: ${error.message}`) : error
  }
}

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
  /** One for each operation; undefined for a deleted path. */
  readonly entries: readonly (EntryView | undefined)[]
}

interface FileWriterDeps extends Pick<Core, 'database' | 'git' | 'clock'> {
  readonly branchWriters: Services['branchWriters']
  readonly pushes: Pushes
  readonly reader: EntryReader
  readonly verifier: Verifier
  readonly noReplyDomain: string
  /** Locks that all processes share; undefined if this is the only process. */
  readonly locks: SharedLocks | undefined
  readonly signer: CommitSigner | undefined
  /** Stores the files that attributes assign to LFS; undefined if LFS is disabled. */
  readonly lfs: Pick<LfsObjects, 'upload'> | undefined
}

const MAX_ATTEMPTS = 5

export type FileWriter = ReturnType<typeof createFileWriter>

export function createFileWriter(deps: FileWriterDeps) {
  const { branchWriters, database, git, clock, pushes, reader, verifier, noReplyDomain, signer, lfs } = deps
  const writing = new KeyedMutex({ name: 'contents', locks: deps.locks })

  async function commit(
    requester: SignedIn,
    { repo }: RepoInView,
    change: FileChange,
    signatures: Signatures,
  ): Promise<{ tip: BranchTip; oid: string }> {
    // NOTE: access may have changed during the wait for earlier writes.
    const { actor, ...target } = await accessQueries.renew(database.read, requester, repo)
    const opened = git.open(target.repo)
    const tip = await findTip({ read: database.read, pushes }, opened, target.repo, change)
    const pusher = await branchWriters.find(actor, target, tip.name)
    if (pusher === undefined) throw errors.branchWriteRequired()
    const oid = await commitFiles(opened, tip.parent, change, { ...signatures, signer, lfs, repo: target.repo })
    const moves = [{ ref: branchRef(tip.name), oldOid: tip.oldOid, newOid: oid }]
    await pushes.push(actor, { ...target, access: pusher.access }, moves, { pusher: pusher.viewer })
    return { tip, oid }
  }

  /** NOTE: a concurrent push may update the branch; then everything is checked again on the new tip. */
  async function retry<T>(actor: SignedIn, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof PushRefusedError) throw fromRefusal(error, actor)
        if (!(error instanceof RefConflictError)) throw error
        if (error.reason === 'name-clash') throw errors.newBranchExists(shortName(error.ref))
      }
    }
    throw unavailable('the branch moves too often, try again')
  }

  return {
    /** Whether the actor may write any branch of the repository. */
    mayWrite: async (actor: SignedIn, target: RepoInView): Promise<boolean> =>
      (await branchWriters.find(actor, target)) !== undefined,
    /**
     * Commits the operations to a branch. Throws NotFound, Invalid, Forbidden and Locked
     * (behaviour/git-data-and-transport#writing-contents).
     */
    async change(actor: SignedIn, target: RepoInView, change: FileChange): Promise<FileChangeResult> {
      const { repo } = target
      if (repo.isArchived || repo.isMirror) throw errors.repoNotEditable(repo.fullName)
      const caller = await userQueries.findById(database.read, actor.account.id)
      if (caller === undefined) throw engineErrors.tokenRequired()
      const signatures = signaturesFor(change, caller, noReplyDomain, clock.now())
      const opened = git.open(repo)
      const made = await writing.run(String(repo.id), () =>
        opened.writing(() => retry(actor, () => commit(actor, target, change, signatures))),
      )
      const done = await opened.objects.commit(made.oid)
      const named: Target = { kind: 'branch', name: made.tip.name, commit: made.oid }
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
 * Maps a refusal by the push rules to the error that clients of file writes expect
 * (behaviour/git-data-and-transport#writing-contents).
 */
export function fromRefusal({ refusal, message }: PushRefusedError, actor: SignedIn): Error {
  if (refusal.path !== undefined) return errors.pathProtected(refusal.path)
  return forbidden(
    refusal.reason === 'push' || refusal.reason === 'access'
      ? `user cannot commit to repo [user: ${actor.account.name}]`
      : message,
  )
}

const shortName = (ref: string): string => ref.replace('refs/heads/', '')

/** The position of a new commit: its parent, and the branch with the value that it must still have. */
interface BranchTip {
  readonly name: string
  readonly parent: string | undefined
  readonly oldOid: string
}

interface TipDeps {
  readonly read: Db
  readonly pushes: Pick<Pushes, 'recorded'>
}

/** Throws NotFound and Invalid (behaviour/git-data-and-transport#writing-contents). */
async function findTip(
  deps: TipDeps,
  git: GitRepo,
  repo: Repo,
  { branch, newBranch, force }: FileChange,
): Promise<BranchTip> {
  const start = branch || (await findDefaultBranch(deps, git, repo))
  const snapshot = await git.refs.snapshot()
  const name = newBranch || start
  const existing = snapshot.get(branchRef(name))?.oid
  if (existing === undefined && !isNewRefName(name))
    throw engineErrors.fieldNotRefName(newBranch ? 'NewBranch' : 'Branch')
  const isEmpty = snapshot.list('refs/heads/').length === 0
  const parent = snapshot.get(branchRef(start))?.oid
  if (parent === undefined && !isEmpty) throw errors.startBranchNotFound(repo.id, start)
  if (name !== start && existing !== undefined && !force) throw errors.newBranchExists(name)
  return { name, parent, oldOid: existing ?? git.zeroOid }
}

/**
 * The current default branch: a request may take minutes to arrive, and the branch may be renamed during that time.
 * NOTE: a rename updates the ref before it writes the row.
 */
async function findDefaultBranch({ read, pushes }: TipDeps, git: GitRepo, { id }: Repo): Promise<string> {
  const load = async (): Promise<string> => {
    const repo = await repoQueries.findById(read, id)
    if (repo === undefined) throw errors.repoNotFound()
    return repo.defaultBranch
  }
  const name = await load()
  if ((await git.refs.snapshot()).get(branchRef(name)) !== undefined) return name
  await pushes.recorded(id)
  return load()
}
