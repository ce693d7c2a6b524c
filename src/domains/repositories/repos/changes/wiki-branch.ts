import { branchRef, type Git, isValidBranchName, RefConflictError } from '../../../../core/git/index.ts'
import { invalid, invalidField } from '../../../../core/platform/errors.ts'
import type { Repo } from '../repo.store.ts'

/**
 * Renames the branch of a wiki that exists already. Throws invalid for a name that git does not allow. The
 * row is changed afterwards; until then, and after a crash, HEAD names the branch.
 */
export async function renameWikiBranch(git: Git, repo: Repo, to: string): Promise<void> {
  if (!isValidBranchName(to)) throw invalidField('WikiBranch', 'GitRefName')
  const storage = `${repo.storage}.wiki`
  if (to === repo.wikiBranch || !(await git.repoExists(storage))) return
  const wiki = git.open({ storage, objectFormat: repo.objectFormat })
  await wiki.writing(async () => {
    const snapshot = await wiki.refs.snapshot()
    const from = snapshot.get(branchRef(repo.wikiBranch))
    if (from !== undefined && snapshot.get(branchRef(to)) === undefined) {
      try {
        await wiki.refs.update([
          { ref: from.name, old: from.oid, new: wiki.zeroOid },
          { ref: branchRef(to), old: wiki.zeroOid, new: from.oid },
        ])
      } catch (error) {
        throw error instanceof RefConflictError ? invalid(`the wiki cannot have a branch ${to}`) : error
      }
    }
    await wiki.refs.setHead(to)
  })
}
