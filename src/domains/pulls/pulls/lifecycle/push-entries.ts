import type { GitRepo } from '../../../../core/git/index.ts'
import { type IssueChange, deleteEntry, listEntriesOfKind, recordEntries, updateEntry } from '../../../issues/index.ts'

/** An entry names at most so many commits, the newest. */
const MAX_COMMITS = 1000

/** The ids of the commits that `oid` has and `not` lacks, oldest first; at most the newest 1,000. */
export async function listPushedCommits(git: GitRepo, oid: string, not: readonly string[]): Promise<string[]> {
  const commits = await git.history.list({ tip: oid, not }, { skip: 0, limit: MAX_COMMITS })
  return commits.map((commit) => commit.oid).reverse()
}

interface PushBody {
  readonly is_force_push: boolean
  readonly commit_ids: readonly string[]
}

const textOf = (commitIds: readonly string[], isForcePush = false): string =>
  JSON.stringify({ is_force_push: isForcePush, commit_ids: commitIds } satisfies PushBody)

/** Adds the entry of a push to the timeline; none without commits (behaviour/pull-requests#branch-lifecycle). */
export async function recordPushEntry(
  { tx, issue, actor, at }: IssueChange,
  commitIds: readonly string[],
): Promise<void> {
  if (commitIds.length === 0) return
  await recordEntries(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_push', body: textOf(commitIds) })
}

export async function recordForcePush(
  { tx, issue, actor, at }: IssueChange,
  { oldOid, newOid }: { readonly oldOid: string; readonly newOid: string },
): Promise<void> {
  const body = textOf([oldOid, newOid], true)
  await recordEntries(tx, { issue, actorId: actor.account.id, at }, { kind: 'pull_push', body })
}

/**
 * Makes the entries of pushes name the commits of the pull request: commits that it no longer has are deleted from the
 * earlier entries, and an entry that names none is deleted. Returns the commits that no entry names.
 */
export async function retainPushedCommits(
  { tx, issue }: Pick<IssueChange, 'tx' | 'issue'>,
  commitIds: readonly string[],
): Promise<string[]> {
  const current = new Set(commitIds)
  const named = new Set<string>()
  for (const entry of await listEntriesOfKind(tx, issue.id, 'pull_push')) {
    const { is_force_push: isForcePush, commit_ids: before } = JSON.parse(entry.body) as PushBody
    if (isForcePush) continue
    const kept = before.filter((oid) => current.has(oid))
    for (const oid of kept) named.add(oid)
    if (kept.length === 0) await deleteEntry(tx, entry.id)
    else if (kept.length < before.length)
      await updateEntry(tx, entry.id, { body: textOf(kept), updated_at: entry.updatedAt })
  }
  return commitIds.filter((oid) => !named.has(oid))
}
