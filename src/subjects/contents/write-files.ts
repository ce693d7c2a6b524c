import type { SignedIn } from '../../access/viewer.ts'
import type { Database } from '../../db/database.ts'
import {
  applyChanges,
  branchRef,
  type Commit,
  type Git,
  type GitRepo,
  isGitError,
  isValidBranchName,
  RefConflictError,
} from '../../git/index.ts'
import type { Clock } from '../../platform/clock.ts'
import {
  forbidden,
  invalid,
  invalidField,
  locked,
  notFound,
  unauthenticated,
  unavailable,
} from '../../platform/errors.ts'
import { KeyedMutex } from '../../platform/keyed-mutex.ts'
import type { LfsObjects } from '../lfs/lfs-objects.service.ts'
import { type Pushes, PushRefusedError } from '../pushes/accept-push.ts'
import { storeLargeFiles, withPointers } from '../pushes/large-files.ts'
import type { RepoInView } from '../repos/lookup.ts'
import type { Repo } from '../repos/repo.store.ts'
import { type CommitSigner, writeCommit } from '../signing/signing.ts'
import { findUserById } from '../users/user.store.ts'
import type { Target } from '../verification/target.ts'
import type { Verification } from '../verification/verification.ts'
import type { Verifier } from '../verification/verifier.ts'
import { messageFor, type SignatureInput, type Signatures, signaturesFor } from './commit-request.ts'
import type { EntryReader, EntryView } from './contents.ts'
import { defaultMessage, type FileOperation, fromPathConflict, planChanges } from './file-operations.ts'

export interface FileChange extends SignatureInput {
  readonly operations: readonly FileOperation[]
  /** A diff that makes the new tree in place of operations. */
  readonly patch?: Buffer | undefined
  /** Where to start; the default branch when absent. */
  readonly branch?: string | undefined
  /** What to move; the start when absent. */
  readonly newBranch?: string | undefined
  readonly message?: string | undefined
  readonly signoff?: boolean | undefined
  /** Lets the new branch exist already. */
  readonly force?: boolean | undefined
}

export interface FileChangeResult {
  readonly target: Target
  readonly commit: Commit
  readonly verification: Verification
  /** One for each operation, undefined for a deleted path. */
  readonly entries: readonly (EntryView | undefined)[]
}

export interface FileWriter {
  /** Commits the operations to a branch. NotFound, Invalid, Forbidden and Locked as in reference git-data §9. */
  change(viewer: SignedIn, target: RepoInView, change: FileChange): Promise<FileChangeResult>
}

export interface FileWriterDeps {
  readonly database: Database
  readonly git: Git
  readonly clock: Clock
  readonly pushes: Pushes
  readonly reader: EntryReader
  readonly verifier: Verifier
  readonly noReplyDomain: string
  readonly signer: CommitSigner | undefined
  /** Takes the files that attributes give to LFS; undefined where that is off. */
  readonly lfs: Pick<LfsObjects, 'upload'> | undefined
}

/** Where a commit goes: its parent and the branch with the value that it must still have. */
interface Place {
  readonly name: string
  readonly parent: string | undefined
  readonly oldOid: string
}

interface Signing extends Signatures {
  readonly signer: CommitSigner | undefined
}

interface Storing {
  readonly lfs: FileWriterDeps['lfs']
  readonly repo: Repo
}

const ATTEMPTS = 5
const ENTRY_PARTS = { content: true, lfs: true, lastCommit: true }

export function createFileWriter(deps: FileWriterDeps): FileWriter {
  const { database, git, clock, pushes, reader, verifier, noReplyDomain, signer, lfs } = deps
  const writing = new KeyedMutex()

  async function commit(
    viewer: SignedIn,
    target: RepoInView,
    change: FileChange,
    signatures: Signatures,
  ): Promise<{ place: Place; oid: string }> {
    const opened = git.open(target.repo)
    const place = await findPlace(opened, target.repo, change)
    const oid = await makeCommit(opened, place, change, { ...signatures, signer, lfs, repo: target.repo })
    await pushes.move(viewer, target, [{ ref: branchRef(place.name), oldOid: place.oldOid, newOid: oid }])
    return { place, oid }
  }

  /** NOTE: a push may move the branch in between; then everything is checked again on the new tip. */
  async function retry<T>(viewer: SignedIn, work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof PushRefusedError) throw refused(error, viewer)
        if (!(error instanceof RefConflictError)) throw error
        if (error.reason === 'name-clash') throw invalid(`branch already exists [name: ${shortName(error.ref)}]`)
      }
    }
    throw unavailable('the branch moves too often, try again')
  }

  return {
    async change(viewer, target, change) {
      const { repo } = target
      if (repo.isArchived || repo.isMirror) throw locked(`${repo.fullName} is not allowed to edit`)
      const caller = await findUserById(database.read, viewer.account.id)
      if (caller === undefined) throw unauthenticated()
      const signatures = signaturesFor(change, caller, noReplyDomain, clock.now())
      const opened = git.open(repo)
      const made = await writing.run(String(repo.id), () =>
        opened.writing(() => retry(viewer, () => commit(viewer, target, change, signatures))),
      )
      const done = await opened.objects.commit(made.oid)
      const named: Target = { kind: 'branch', name: made.place.name, commit: made.oid }
      const entries = await Promise.all(change.operations.map((operation) => viewOf(opened, reader, named, operation)))
      return {
        target: named,
        commit: done,
        verification: (await verifier.ofCommits(opened, [done])).get(done.oid)!,
        entries,
      }
    },
  }
}

/** The words that clients of file writes know for what the push rules say (reference git-data §9). */
function refused({ refusal, message }: PushRefusedError, viewer: SignedIn): Error {
  if (refusal.path !== undefined) return forbidden(`path is protected and can not be changed [path: ${refusal.path}]`)
  return forbidden(
    refusal.reason === 'push' || refusal.reason === 'access'
      ? `user cannot commit to repo [user: ${viewer.account.name}]`
      : message,
  )
}

const shortName = (ref: string): string => ref.replace('refs/heads/', '')

async function viewOf(
  git: GitRepo,
  reader: EntryReader,
  target: Target,
  operation: FileOperation,
): Promise<EntryView | undefined> {
  if (operation.kind === 'delete') return undefined
  const entry = await git.revisions.entryAt(target.commit, operation.path)
  return entry && reader.one(git, target, { path: operation.path, entry }, ENTRY_PARTS)
}

async function findPlace(git: GitRepo, repo: Repo, { branch, newBranch, force }: FileChange): Promise<Place> {
  const snapshot = await git.refs.snapshot()
  const start = branch || repo.defaultBranch
  const name = newBranch || start
  if (!isValidBranchName(name)) throw invalidField(newBranch ? 'NewBranch' : 'Branch', 'GitRefName')
  const isEmpty = snapshot.list('refs/heads/').length === 0
  const parent = snapshot.get(branchRef(start))?.oid
  if (parent === undefined && !isEmpty) throw notFound(`branch does not exist [repo_id: ${repo.id} name: ${start}]`)
  const existing = snapshot.get(branchRef(name))?.oid
  if (name !== start && existing !== undefined && !force) throw invalid(`branch already exists [name: ${name}]`)
  return { name, parent, oldOid: existing ?? git.zeroOid }
}

async function makeCommit(
  git: GitRepo,
  { parent }: Place,
  change: FileChange,
  { author, committer, signer, lfs, repo }: Signing & Storing,
): Promise<string> {
  const writer = git.writer()
  const base = parent === undefined ? undefined : (await git.objects.commit(parent)).tree
  if (change.patch !== undefined)
    return commitPatch(git, { parent, base, patch: change.patch }, change, { author, committer, signer })
  const large = lfs && (await withPointers(git, base, change.operations))
  const changes = await planChanges(
    writer,
    async (path) => (base === undefined ? undefined : git.revisions.entryAt(base, path)),
    large?.operations ?? change.operations,
  )
  try {
    const tree = await applyChanges(writer, base, changes)
    const message = messageFor(
      change.message,
      defaultMessage(change.operations),
      change.signoff ? committer : undefined,
    )
    const oid = await writeCommit(
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
  const tree = await applied(git, base, patch)
  const message = messageFor(change.message, PATCH_MESSAGE, change.signoff ? committer : undefined)
  const oid = await writeCommit(writer, { tree, parents: [parent], author, committer, message }, signer)
  await writer.flush()
  return oid
}

async function applied(git: GitRepo, tree: string, patch: Buffer): Promise<string> {
  try {
    return await git.patches.apply(tree, patch)
  } catch (error) {
    throw isGitError(error, 'invalid') ? invalid(`the patch does not apply: ${error.message}`) : error
  }
}
