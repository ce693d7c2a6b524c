import type { GitRepo } from '../../../git/index.ts'
import { type IssueChange, recordEntries } from '../../issues/index.ts'

/** An entry names at most so many commits, the newest. */
const MAX_COMMITS = 1000

/** The ids of the commits that `oid` has and `not` lacks, oldest first; at most the newest 1,000. */
export async function listPushedCommits(git: GitRepo, oid: string, not: readonly string[]): Promise<string[]> {
  const commits = await git.history.list({ tip: oid, not }, { skip: 0, limit: MAX_COMMITS })
  return commits.map((commit) => commit.oid).reverse()
}

/** Adds the entry of a push to the timeline; none without commits (behaviour/pull-requests#branch-lifecycle). */
export async function recordPushEntry(
  { tx, issue, actor, at }: IssueChange,
  commitIds: readonly string[],
  isForcePush = false,
): Promise<void> {
  if (commitIds.length === 0) return
  const body = JSON.stringify({ is_force_push: isForcePush, commit_ids: commitIds })
  await recordEntries(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_push', body })
}
