import { isZeroOid } from '../../../git/index.ts'
import type { RefChange } from '../../pushes/index.ts'
import type { Repo } from '../../repos/index.ts'
import { pullHeadRef } from '../pull.policy.ts'
import { listPullsOfHeads } from '../records/pull-heads.store.ts'
import type { LifecycleDeps } from './pull-change.ts'

const BRANCH = 'refs/heads/'

/**
 * Moves `refs/pull/{number}/head` of the pull requests from pushed branches into the same repository, which has the
 * objects already: clients fetch these refs right after their push. Rows, forks and timelines follow in a job. One
 * query, and one git process where there are such pull requests.
 */
export async function moveHeadRefs(
  { database, git }: Pick<LifecycleDeps, 'database' | 'git'>,
  repo: Repo,
  changes: readonly RefChange[],
): Promise<void> {
  const moved = new Map(
    changes
      .filter(({ ref, newOid }) => ref.startsWith(BRANCH) && !isZeroOid(newOid))
      .map(({ ref, newOid }) => [ref.slice(BRANCH.length), newOid]),
  )
  const heads = await listPullsOfHeads(database.read, repo.id, [...moved.keys()])
  if (heads.length === 0) return
  const { refs, zeroOid } = git.open(repo)
  const snapshot = await refs.snapshot()
  await refs.update(
    heads.map(({ number, branch }) => {
      const ref = pullHeadRef(number)
      return { ref, old: snapshot.get(ref)?.oid ?? zeroOid, new: moved.get(branch)! }
    }),
  )
}
