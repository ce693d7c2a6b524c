import { branchRef, type DiffSpan, type GitRepo } from '../../../../core/git/index.ts'
import { invalid } from '../../../../core/platform/errors.ts'
import type { Pull } from '../../pulls/records/pull.store.ts'

export const currentSpan = ({ mergeBase, headOid }: Pull): DiffSpan => ({ base: mergeBase, head: headOid })

/** The diff of a commit that was the head once. Undefined when the repository does not have the commit. */
export async function findSpan(git: GitRepo, pull: Pull, commitOid: string): Promise<DiffSpan | undefined> {
  if (commitOid === pull.headOid) return currentSpan(pull)
  if (!/^[0-9a-f]+$/.test(commitOid) || commitOid.length !== git.zeroOid.length) return undefined
  if ((await git.objects.findInfo(commitOid))?.type !== 'commit') return undefined
  const base = await git.history.mergeBase(pull.mergeBase, commitOid)
  return { base: base ?? pull.mergeBase, head: commitOid }
}

/** Throws Invalid. */
export async function requireSpan(git: GitRepo, pull: Pull, commitOid: string): Promise<DiffSpan> {
  const span = await findSpan(git, pull, commitOid)
  if (span === undefined) throw invalid(`commit does not exist: ${commitOid}`)
  return span
}

/**
 * Whether the pull request changes something else since a commit was its head. With several merge bases no diff shows
 * all that a merge would change: then it is assumed.
 */
export async function isStale(git: GitRepo, pull: Pull, commitOid: string): Promise<boolean> {
  if (commitOid === pull.headOid) return false
  const base = (await git.refs.snapshot()).get(branchRef(pull.baseBranch))
  if (base !== undefined && (await git.history.mergeBases(base.oid, pull.headOid)).length > 1) return true
  const span = await findSpan(git, pull, commitOid)
  return span === undefined || !(await git.samePatch.isSame(span, currentSpan(pull)))
}
