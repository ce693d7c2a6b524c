import type { Actor } from '../../../access/viewer.ts'
import { branchRef } from '../../../git/index.ts'
import type { PullId } from '../../../platform/crypto/ids.ts'
import { findRepoById } from '../../repos/index.ts'
import { followMergeRef } from '../mergeability/merge-ref.ts'
import { pullHeadRef } from '../pull.policy.ts'
import { findPull, type Pull } from '../records/pull.store.ts'
import { followHead } from './move-head.ts'
import { findPlace, type LifecycleDeps, type PullPlace } from './pull-change.ts'
import { recheck } from './recheck.ts'

/** Makes an open pull request follow its head and its base as they are now, such as after it was reopened. */
export async function refreshPull(deps: LifecycleDeps, actor: Actor, id: PullId): Promise<void> {
  const seen = await findPull(deps.database.read, id)
  const place = seen && (await findPlace(deps, seen))
  if (place === undefined) return
  await followHead(deps, actor, place, (pull) => findHeadTip(deps, pull, place))
  await followMergeRef(deps, place, { makes: false, checked: await recheck(deps, place) })
}

/** What the head is in its own place: the branch, or the ref that pushes to `refs/for/` move. */
async function findHeadTip(
  { database, git }: LifecycleDeps,
  pull: Pull,
  place: PullPlace,
): Promise<string | undefined> {
  const isOwn = pull.headRepoId === place.repo.id
  const repo = isOwn ? place.repo : pull.headRepoId && (await findRepoById(database.read, pull.headRepoId))
  if (!repo) return undefined
  const refs = await git.open(repo).refs.snapshot()
  if (!pull.isAgit) return refs.get(branchRef(pull.headBranch))?.oid
  return refs.get(pullHeadRef(place.number))?.oid ?? pull.headOid
}
