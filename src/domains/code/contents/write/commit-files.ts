import { applyChanges, createPathLookup, type GitRepo, isGitError } from '../../../../core/git/index.ts'
import { invalid, notFound } from '../../../../core/platform/errors.ts'
import type { LfsObjects } from '../../lfs/objects/lfs-objects.service.ts'
import { type CommitSigner, type Repo, writeCommit } from '../../../repositories/index.ts'
import { type FileChange, messageFor, type Signatures } from './commit-request.ts'
import { defaultMessage, fromPathConflict, planChanges, requireFewDirectories } from './file-operations.ts'
import { storeLargeFiles, withPointers } from './large-files.ts'

interface Signing extends Signatures {
  readonly signer: CommitSigner | undefined
}

interface Storing {
  readonly lfs: Pick<LfsObjects, 'upload'> | undefined
  readonly repo: Repo
}

/**
 * Writes the commit of a change on top of `parent`, and stores its large files. Moves no ref. Returns the commit's id.
 */
export async function commitFiles(
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
  const tree = await applyPatch(git, base, patch)
  const message = messageFor(change.message, PATCH_MESSAGE, change.signoff ? committer : undefined)
  const oid = await writeCommit(writer, { tree, parents: [parent], author, committer, message }, signer)
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
