import { engineErrors } from '../../../platform/errors.ts'
import { isGitError } from '../../errors.ts'
import { branchRef, type Refs } from './refs.ts'
import type { Revisions } from './revision.ts'

interface RefNames {
  readonly refs: Refs
  readonly revisions: Revisions
}

/** A repository whose default branch replaces a missing ref. */
interface WithDefaultBranch {
  readonly defaultBranch: string
}

/** The commit that a client named. `name` is the short name of the branch or tag, or the full id. */
export interface Target {
  readonly kind: 'branch' | 'tag' | 'commit'
  readonly name: string
  readonly commit: string
}

/**
 * Resolves a full id, exact branch or exact tag; the default branch if `ref` is absent or empty
 * (behaviour/git-data-and-transport#common-rules).
 */
export async function findTarget(
  git: RefNames,
  repo: WithDefaultBranch,
  ref: string | undefined,
): Promise<Target | undefined> {
  const name = ref === undefined || ref === '' ? repo.defaultBranch : ref
  const found = await git.revisions.findStrict(name)
  if (found === undefined || found.kind === 'other') return undefined
  const commit = found.type === 'commit' ? found.oid : await peeled(git, found.oid)
  return commit === undefined ? undefined : { kind: found.kind === 'oid' ? 'commit' : found.kind, name, commit }
}

/** Like `findTarget`, but throws NotFound. */
export async function getTarget(git: RefNames, repo: WithDefaultBranch, ref: string | undefined): Promise<Target> {
  return requireTarget(await findTarget(git, repo, ref), repo, ref)
}

/** Returns the target or throws NotFound if it is undefined. */
export function requireTarget(target: Target | undefined, repo: WithDefaultBranch, ref: string | undefined): Target {
  if (target === undefined) throw engineErrors.refNotFound(ref || repo.defaultBranch)
  return target
}

const SHORT_ID = /^[0-9a-f]{7,64}$/

/**
 * As `findTarget`, and also accepts a short id of at least 7 digits, as statuses do
 * (behaviour/git-data-and-transport#common-rules).
 */
export async function findReportedOid(
  git: RefNames,
  repo: WithDefaultBranch,
  ref: string,
): Promise<string | undefined> {
  return (await findTarget(git, repo, ref))?.commit ?? findShortOid(git, ref)
}

/** The commit with an id of at least 7 digits, full or short; finds nothing else. */
export async function findShortOid(git: RefNames, id: string): Promise<string | undefined> {
  if (!SHORT_ID.test(id)) return undefined
  const oid = await ignoringMissing(() => git.revisions.findShort(id))
  return oid === undefined ? undefined : peeled(git, oid)
}

/** False for an empty repository. */
export const hasBranches = async (git: RefNames): Promise<boolean> =>
  (await git.refs.snapshot()).list(branchRef('')).length > 0

/** The object that git resolves a revision to. */
export const findLooseOid = async (git: RefNames, revision: string): Promise<string | undefined> =>
  (await ignoringMissing(() => git.revisions.findLoose(revision)))?.oid

/** The commit that git resolves a revision to. */
export async function findCommitOid(git: RefNames, revision: string): Promise<string | undefined> {
  const found = await ignoringMissing(() => git.revisions.findLoose(revision))
  if (found === undefined) return undefined
  return found.type === 'commit' ? found.oid : peeled(git, found.oid)
}

const peeled = (git: RefNames, oid: string): Promise<string | undefined> =>
  ignoringMissing(() => git.revisions.peel(oid, 'commit'))

/** Returns undefined instead of throwing a GitError for a missing object. */
export async function ignoringMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (
      isGitError(error, 'missing') ||
      isGitError(error, 'wrong-type') ||
      isGitError(error, 'ambiguous') ||
      isGitError(error, 'invalid')
    )
      return undefined
    throw error
  }
}
