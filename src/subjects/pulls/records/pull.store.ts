import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../db/database.ts'
import { asId, type IssueId, type PullId, type RepoId, type UserId } from '../../../platform/crypto/ids.ts'
import type { PullTable } from './pull.table.ts'

/**
 * The result of a check. `ancestor`: the base contains the head. `empty`: the merge would change no file. Both can be
 * presented as mergeable (behaviour/pull-requests#mergeability).
 */
export type Mergeability = 'ancestor' | 'checking' | 'conflict' | 'empty' | 'error' | 'mergeable'

/** What a pull request has beside its issue. Times are epoch milliseconds. */
export interface Pull {
  readonly id: PullId
  readonly issueId: IssueId
  readonly baseRepoId: RepoId
  readonly baseBranch: string
  /** Undefined when the repository was deleted. */
  readonly headRepoId: RepoId | undefined
  readonly headBranch: string
  readonly isAgit: boolean
  /** What `refs/pull/{number}/head` points to. */
  readonly headOid: string
  readonly mergeBase: string
  readonly check: MergeCheck
  readonly isClosed: boolean
  readonly isDraft: boolean
  readonly allowsMaintainerEdit: boolean
  readonly merge: Merge | undefined
}

/** The last check, and what it compared: it says nothing about other commits. */
export interface MergeCheck {
  readonly state: Mergeability
  /** Empty before the first check. */
  readonly baseOid: string
  readonly headOid: string
  /** Paths that conflict. */
  readonly conflicts: readonly string[]
}

export interface Merge {
  /** The tip of the base right after the merge. */
  readonly oid: string
  /** The contract's `Do`. */
  readonly style: string
  /** The account may have been deleted. */
  readonly byId: UserId
  readonly at: number
}

const toPull = (row: Selectable<PullTable>): Pull => ({
  id: asId(row.id),
  issueId: asId(row.issue_id),
  baseRepoId: asId(row.base_repo_id),
  baseBranch: row.base_branch,
  headRepoId: row.head_repo_id === 0 ? undefined : asId(row.head_repo_id),
  headBranch: row.head_branch,
  isAgit: row.is_agit === 1,
  headOid: row.head_oid,
  mergeBase: row.merge_base,
  check: {
    state: row.mergeability as Mergeability,
    baseOid: row.checked_base_oid,
    headOid: row.checked_head_oid,
    conflicts: row.conflicts === '' ? [] : (JSON.parse(row.conflicts) as string[]),
  },
  isClosed: row.is_closed === 1,
  isDraft: row.is_draft === 1,
  allowsMaintainerEdit: row.allows_maintainer_edit === 1,
  merge:
    row.is_merged === 1
      ? { oid: row.merged_oid, style: row.merge_style, byId: asId(row.merged_by_id), at: row.merged_at }
      : undefined,
})

export async function findPullByIssue(db: Db, issueId: IssueId): Promise<Pull | undefined> {
  const row = await db.selectFrom('pull').selectAll().where('issue_id', '=', issueId).executeTakeFirst()
  return row && toPull(row)
}

/** Pull requests of these issues, by issue. */
export async function listPullsByIssues(db: Db, ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, Pull>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('pull').selectAll().where('issue_id', 'in', ids).execute()
  return new Map(rows.map((row) => [asId<IssueId>(row.issue_id), toPull(row)]))
}

/** Locks the row until the transaction ends. Returns undefined if the pull request was deleted. */
export async function lockPull(tx: Tx, id: PullId): Promise<Pull | undefined> {
  const row = await tx.updateTable('pull').set({ id }).where('id', '=', id).returningAll().executeTakeFirst()
  return row && toPull(row)
}

export async function insertPull(tx: Tx, values: Insertable<PullTable>): Promise<Pull> {
  return toPull(await tx.insertInto('pull').values(values).returningAll().executeTakeFirstOrThrow())
}

/** Throws NoResultError, which is a conflict, if the pull request was deleted. */
export async function updatePull(tx: Tx, id: PullId, values: Updateable<PullTable>): Promise<Pull> {
  return toPull(await tx.updateTable('pull').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow())
}

/** A branch of a repository. */
export interface BranchOf {
  readonly repoId: RepoId
  readonly branch: string
}

/** The open pull requests that have the branch as their head, the oldest first; those of AGit are not among them. */
export async function listOpenPullsFrom(db: Db, { repoId, branch }: BranchOf): Promise<Pull[]> {
  const rows = await db
    .selectFrom('pull')
    .selectAll()
    .where('head_repo_id', '=', repoId)
    .where('is_closed', '=', 0)
    .where('head_branch', '=', branch)
    .where('is_agit', '=', 0)
    .orderBy('id')
    .execute()
  return rows.map(toPull)
}

/** Some of the open pull requests into the branch, the oldest first, behind `afterId`. */
export async function listOpenPullsInto(
  db: Db,
  { repoId, branch }: BranchOf,
  { afterId, limit }: { readonly afterId: PullId | 0; readonly limit: number },
): Promise<Pull[]> {
  const rows = await db
    .selectFrom('pull')
    .selectAll()
    .where('base_repo_id', '=', repoId)
    .where('is_closed', '=', 0)
    .where('base_branch', '=', branch)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toPull)
}

/** What no two open pull requests have in common. */
export interface PullTarget {
  readonly headRepoId: RepoId
  readonly headBranch: string
  readonly baseRepoId: RepoId
  readonly baseBranch: string
}

/** The open pull request with this target, and the number of its issue. */
export async function findOpenDuplicate(
  db: Db,
  { headRepoId, headBranch, baseRepoId, baseBranch }: PullTarget,
): Promise<{ readonly pull: Pull; readonly number: number } | undefined> {
  const row = await db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .selectAll('pull')
    .select('issue.number')
    .where('pull.head_repo_id', '=', headRepoId)
    .where('pull.is_closed', '=', 0)
    .where('pull.head_branch', '=', headBranch)
    .where('pull.base_repo_id', '=', baseRepoId)
    .where('pull.base_branch', '=', baseBranch)
    .orderBy('pull.id')
    .limit(1)
    .executeTakeFirst()
  return row && { pull: toPull(row), number: row.number }
}

/** Nothing happens where the issue has no row of a pull request. */
export async function updatePullOfIssue(tx: Tx, issueId: IssueId, values: Updateable<PullTable>): Promise<void> {
  await tx.updateTable('pull').set(values).where('issue_id', '=', issueId).execute()
}
