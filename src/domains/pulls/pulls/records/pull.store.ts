import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tx } from '../../../../core/db/database.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { flag } from '../../../../core/db/flag.ts'
import { asId, type IssueId, type PullId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import type { PullTable } from './pull.table.ts'

/**
 * The result of a check. `ancestor`: the base contains the head. `empty`: the merge would change no file. Both may be
 * shown as mergeable (behaviour/pull-requests#mergeability).
 */
export type Mergeability = 'ancestor' | 'checking' | 'conflict' | 'empty' | 'error' | 'mergeable'

/** The data of a pull request in addition to its issue. Times are epoch milliseconds. */
export interface Pull {
  readonly id: PullId
  readonly issueId: IssueId
  readonly baseRepoId: RepoId
  readonly baseBranch: string
  /** Undefined when the repository was deleted. */
  readonly headRepoId: RepoId | undefined
  readonly headBranch: string
  readonly isAgit: boolean
  /** The commit that `refs/pull/{number}/head` points to. */
  readonly headOid: string
  readonly mergeBase: string
  readonly check: MergeCheck
  readonly isClosed: boolean
  readonly isDraft: boolean
  readonly allowsMaintainerEdit: boolean
  readonly merge: Merge | undefined
}

/** The last check and the commits that it compared; it is valid for these only. */
export interface MergeCheck {
  readonly state: Mergeability
  /** Empty before the first check. */
  readonly baseOid: string
  readonly headOid: string
  /** Paths that conflict. */
  readonly conflicts: readonly string[]
}

interface Merge {
  /** The tip of the base right after the merge. */
  readonly oid: string
  /** The value of `Do` in the API. */
  readonly style: string
  /** The account may have been deleted. */
  readonly byId: UserId
  readonly at: number
}

export const toPull = (row: Selectable<PullTable>): Pull => ({
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

export async function findPull(db: Db, id: PullId): Promise<Pull | undefined> {
  const [row] = await byId(db, { id })
  return row && toPull(row)
}

const byId = defineQuery((db, { id }: { id: PullId }) => db.selectFrom('pull').selectAll().where('id', '=', id))

export async function findPullByIssue(db: Db, issueId: IssueId): Promise<Pull | undefined> {
  const [row] = await byIssue(db, { issueId })
  return row && toPull(row)
}

const byIssue = defineQuery((db, { issueId }: { issueId: IssueId }) =>
  db.selectFrom('pull').selectAll().where('issue_id', '=', issueId),
)

/** Pull requests of these issues, by issue. */
export async function listPullsByIssues(db: Db, ids: readonly IssueId[]): Promise<ReadonlyMap<IssueId, Pull>> {
  if (ids.length === 0) return new Map()
  const rows = await byIssues(db, { ids })
  return new Map(rows.map((row) => [asId<IssueId>(row.issue_id), toPull(row)]))
}

const byIssues = defineQuery((db, { ids }: { ids: readonly IssueId[] }) =>
  db.selectFrom('pull').selectAll().where('issue_id', 'in', ids),
)

/** Locks the row until the transaction ends. Returns undefined if the pull request was deleted. */
export async function lockPull(tx: Tx, id: PullId): Promise<Pull | undefined> {
  const [row] = await lock(tx, { id })
  return row && toPull(row)
}

const lock = defineQuery((db, { id }: { id: PullId }) =>
  db.updateTable('pull').set({ id }).where('id', '=', id).returningAll(),
)

export async function insertPull(tx: Tx, values: Insertable<PullTable>): Promise<Pull> {
  return toPull(await tx.insertInto('pull').values(values).returningAll().executeTakeFirstOrThrow())
}

/** Throws NoResultError, which is a conflict, if the pull request was deleted. */
export async function updatePull(tx: Tx, id: PullId, values: Updateable<PullTable>): Promise<Pull> {
  return toPull(await tx.updateTable('pull').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow())
}

interface MergeRecord extends Merge {
  /** The common ancestor before the merge; absent does not change it. */
  readonly mergeBase?: string | undefined
}

export async function recordMerge(tx: Tx, id: PullId, { oid, style, byId, at, mergeBase }: MergeRecord): Promise<void> {
  await updatePull(tx, id, {
    is_merged: 1,
    merged_oid: oid,
    merge_style: style,
    merged_by_id: byId,
    merged_at: at,
    ...(mergeBase !== undefined && { merge_base: mergeBase }),
  })
}

/** A branch of a repository. */
export interface BranchOf {
  readonly repoId: RepoId
  readonly branch: string
}

/** The open pull requests whose head is the branch, oldest first; excludes AGit. */
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

/** Some of the open pull requests into the branch, oldest first, after `afterId`. */
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

/** The identity of an open pull request: no two have the same. */
export interface PullTarget {
  /** An AGit topic is not a branch, even if a branch has the same name. */
  readonly isAgit: boolean
  readonly headRepoId: RepoId
  readonly headBranch: string
  readonly baseRepoId: RepoId
  readonly baseBranch: string
}

/** The open pull request with this target, and the number of its issue. */
export async function findOpenDuplicate(
  db: Db,
  { isAgit, headRepoId, headBranch, baseRepoId, baseBranch }: PullTarget,
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
    .where('pull.is_agit', '=', flag(isAgit))
    .orderBy('pull.id')
    .limit(1)
    .executeTakeFirst()
  return row && { pull: toPull(row), number: row.number }
}

/** Does nothing when the issue has no pull request. */
export async function updatePullOfIssue(tx: Tx, issueId: IssueId, values: Updateable<PullTable>): Promise<void> {
  await tx.updateTable('pull').set(values).where('issue_id', '=', issueId).execute()
}

/** Sets the columns of a check of the head and base in `seen`; does nothing when they have changed. */
export async function updateChecked(tx: Tx, seen: Pull, columns: CheckColumns): Promise<void> {
  await checkUpdate(tx, { columns, id: seen.id, headOid: seen.headOid, baseBranch: seen.baseBranch })
}

type CheckColumns = Pick<Selectable<PullTable>, 'checked_base_oid' | 'checked_head_oid' | 'conflicts' | 'mergeability'>
type CheckedTips = Pick<Pull, 'baseBranch' | 'headOid' | 'id'>

const checkUpdate = defineQuery((db, { columns, id, headOid, baseBranch }: CheckedTips & { columns: CheckColumns }) =>
  db
    .updateTable('pull')
    .set(columns)
    .where('id', '=', id)
    .where('head_oid', '=', headOid)
    .where('base_branch', '=', baseBranch),
)

/** Whether an open pull request has one of these branches of the repository as its head or base. */
export async function hasOpenPulls(db: Db, repoId: RepoId, branches: readonly string[]): Promise<boolean> {
  if (branches.length === 0) return false
  const row = await db
    .selectFrom('pull')
    .select('id')
    .where('is_closed', '=', 0)
    .where((eb) =>
      eb.or([
        eb.and([eb('head_repo_id', '=', repoId), eb('head_branch', 'in', branches)]),
        eb.and([eb('base_repo_id', '=', repoId), eb('base_branch', 'in', branches)]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The base of the latest merged pull request from the branch within the same repository. */
export async function findMergedBase(db: Db, { repoId, branch }: BranchOf): Promise<string | undefined> {
  const row = await db
    .selectFrom('pull')
    .select('base_branch')
    .where('head_repo_id', '=', repoId)
    .where('is_closed', '=', 1)
    .where('head_branch', '=', branch)
    .where('base_repo_id', '=', repoId)
    .where('is_merged', '=', 1)
    .orderBy('merged_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.base_branch
}

/** Detaches pull requests from a deleted head repository; returns the open ones. */
export async function detachHeadRepo(tx: Tx, repoId: RepoId): Promise<Pull[]> {
  const rows = await tx
    .updateTable('pull')
    .set({ head_repo_id: 0 })
    .where('head_repo_id', '=', repoId)
    .where('base_repo_id', '!=', repoId)
    .returningAll()
    .execute()
  return rows.map(toPull).filter((pull) => !pull.isClosed)
}

/** Detaches pull requests from all repositories of a deleted account; returns the open ones. */
export async function detachHeadsOfOwner(tx: Tx, ownerId: UserId): Promise<Pull[]> {
  const owned = tx.selectFrom('repo').select('id').where('owner_id', '=', ownerId)
  const rows = await tx
    .updateTable('pull')
    .set({ head_repo_id: 0 })
    .where('head_repo_id', 'in', owned)
    .where('base_repo_id', 'not in', owned)
    .returningAll()
    .execute()
  return rows.map(toPull).filter((pull) => !pull.isClosed)
}

/** Renames the branch of the repository in every pull request. */
export async function renameBranchInPulls(
  tx: Tx,
  { repoId, from, to }: { readonly repoId: RepoId; readonly from: string; readonly to: string },
): Promise<void> {
  await tx
    .updateTable('pull')
    .set({ head_branch: to })
    .where('head_repo_id', '=', repoId)
    .where('head_branch', '=', from)
    .where('is_agit', '=', 0)
    .execute()
  await tx
    .updateTable('pull')
    .set({ base_branch: to })
    .where('base_repo_id', '=', repoId)
    .where('base_branch', '=', from)
    .execute()
}
