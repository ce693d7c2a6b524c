import type { Core } from '../../../../core/module.ts'
import type { Actor } from '../../../../core/access/viewer.ts'
import type { Tx } from '../../../../core/db/database.ts'
import { branchRef } from '../../../../core/git/index.ts'
import type { Jobs } from '../../../../core/jobs/index.ts'
import type { PullId } from '../../../../core/platform/crypto/ids.ts'
import type { Branch } from '../heads/find-branches.ts'
import type { BranchOf } from '../records/pull.store.ts'

export type FollowMovedDeps = Pick<Core, 'database' | 'git' | 'jobs'>

interface Followed extends BranchOf {
  /** Those into the branch up to this one have followed it. */
  readonly afterId?: PullId
}

/** Has the pull requests from and into a branch follow it in a job. */
export function enqueueFollow(
  tx: Tx,
  jobs: Jobs,
  { repoId, branch, afterId }: Followed,
  actorId: number,
): Promise<void> {
  const job = { repo_id: repoId, branch, actor_id: actorId, ...(afterId && { after_id: afterId }) }
  return jobs.enqueue(tx, 'pulls.follow_branch', job, { key: `${repoId} ${branch}${afterId ? ` ${afterId}` : ''}` })
}

/**
 * Call after a row that was written for these tips is committed. A branch that was pushed or deleted between the
 * reading of its tip and the commit was looked at by the job of that push when the row was not there yet.
 */
export async function followMoved(
  { database, git, jobs }: FollowMovedDeps,
  actor: Actor,
  seen: readonly Branch[],
): Promise<void> {
  const tips = await Promise.all(
    seen.map(async ({ repo, name }) => (await git.open(repo).refs.snapshot()).get(branchRef(name))?.oid),
  )
  const moved = seen.filter(({ oid }, index) => tips[index] !== oid)
  if (moved.length === 0) return
  await database.transaction(async (tx) => {
    for (const { repo, name } of moved)
      await enqueueFollow(tx, jobs, { repoId: repo.id, branch: name }, actor.account.id)
  })
}
