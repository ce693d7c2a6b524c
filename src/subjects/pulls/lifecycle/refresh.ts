import type { Actor } from '../../../access/viewer.ts'
import { branchRef } from '../../../git/index.ts'
import type { PullId } from '../../../platform/crypto/ids.ts'
import { findRepoById } from '../../repos/index.ts'
import { findIssueById } from '../../issues/index.ts'
import { pullHeadRef } from '../pull.policy.ts'
import type { Pull } from '../records/pull.store.ts'
import { followHead } from './move-head.ts'
import type { LifecycleDeps } from './pull-change.ts'
import { recheck } from './recheck.ts'

/** Makes an open pull request follow its head and its base as they are now, such as after it was reopened. */
export async function refreshPull(deps: LifecycleDeps, actor: Actor, id: PullId): Promise<void> {
  await followHead(deps, actor, id, (pull) => findHeadTip(deps, pull))
  await recheck(deps, id)
}

/** What the head is in its own place: the branch, or the ref that pushes to `refs/for/` move. */
async function findHeadTip({ database, git }: LifecycleDeps, pull: Pull): Promise<string | undefined> {
  const repo = pull.headRepoId && (await findRepoById(database.read, pull.headRepoId))
  if (!repo) return undefined
  const refs = await git.open(repo).refs.snapshot()
  if (!pull.isAgit) return refs.get(branchRef(pull.headBranch))?.oid
  const issue = await findIssueById(database.read, pull.issueId)
  return issue && (refs.get(pullHeadRef(issue.number))?.oid ?? pull.headOid)
}
