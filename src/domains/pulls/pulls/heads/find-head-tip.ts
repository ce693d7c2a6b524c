import type { Database } from '../../../../core/db/database.ts'
import { branchRef, type Git } from '../../../../core/git/index.ts'
import { type Repo, findRepoById } from '../../../repositories/index.ts'
import { pullHeadRef } from '../pull.policy.ts'
import type { Pull } from '../records/pull.store.ts'

/**
 * What the head is in its own place: the branch, or the ref that pushes to `refs/for/` move. Undefined when the branch
 * or its repository is gone. `place`: the base repository and the number.
 */
export async function findHeadTip(
  { database, git }: { readonly database: Pick<Database, 'read'>; readonly git: Git },
  pull: Pull,
  place: { readonly repo: Repo; readonly number: number },
): Promise<string | undefined> {
  const isOwn = pull.headRepoId === place.repo.id
  const repo = isOwn ? place.repo : pull.headRepoId && (await findRepoById(database.read, pull.headRepoId))
  if (!repo) return undefined
  const refs = await git.open(repo).refs.snapshot()
  if (!pull.isAgit) return refs.get(branchRef(pull.headBranch))?.oid
  return refs.get(pullHeadRef(place.number))?.oid ?? pull.headOid
}
