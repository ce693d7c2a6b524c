import type { Db } from '../../../../core/db/database.ts'
import { asId, type IssueId, type PullId, type RepoId } from '../../../../core/platform/crypto/ids.ts'
import { pullHeadRef } from '../pull.policy.ts'
import type { BranchOf } from './pull.store.ts'

export interface PullHead {
  readonly pullId: PullId
  readonly number: number
  readonly ref: string
  readonly oid: string
  readonly isClosed: boolean
  readonly base: string
  /** The tip of the base that the last check compared. */
  readonly checkedBaseOid: string
  readonly issueId: IssueId
  /** The head branch; undefined for AGit and where the repository was deleted. */
  readonly head: BranchOf | undefined
  /** The head branch where it is one of the same repository. */
  readonly branch: string | undefined
}

/** The head refs that a repository should have, by number. */
export async function listPullHeads(db: Db, repoId: RepoId): Promise<PullHead[]> {
  const rows = await db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select(['pull.id', 'pull.base_branch', 'pull.checked_base_oid', 'pull.head_branch', 'pull.head_repo_id'])
    .select(['issue.number', 'pull.issue_id', 'pull.head_oid', 'pull.is_agit', 'pull.is_closed'])
    .where('pull.base_repo_id', '=', repoId)
    .orderBy('issue.number')
    .execute()
  return rows.map((row) => ({
    pullId: asId(row.id),
    ref: pullHeadRef(row.number),
    oid: row.head_oid,
    isClosed: row.is_closed === 1,
    number: row.number,
    base: row.base_branch,
    checkedBaseOid: row.checked_base_oid,
    issueId: asId(row.issue_id),
    head:
      row.head_repo_id === 0 || row.is_agit === 1
        ? undefined
        : { repoId: asId(row.head_repo_id), branch: row.head_branch },
    branch: row.head_repo_id === repoId && row.is_agit === 0 ? row.head_branch : undefined,
  }))
}

/** The limit of branches that are looked up in one query; a push of more moves their refs in a job. */
const MAX_BRANCHES = 500

const canLookUp = (branches: readonly string[]): boolean => branches.length > 0 && branches.length <= MAX_BRANCHES

const openPullsFrom = (db: Db, repoId: RepoId, branches: readonly string[]) =>
  db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .where('pull.head_repo_id', '=', repoId)
    .where('pull.is_closed', '=', 0)
    .where('pull.head_branch', 'in', branches)

/**
 * The open pull requests from these branches into the same repository, the oldest first; none for over 500 branches.
 */
export async function listPullsOfHeads(
  db: Db,
  repoId: RepoId,
  branches: readonly string[],
): Promise<{ readonly number: number; readonly branch: string }[]> {
  if (!canLookUp(branches)) return []
  const rows = await openPullsFrom(db, repoId, branches)
    .select(['issue.number', 'pull.head_branch'])
    .where('pull.base_repo_id', '=', repoId)
    .where('pull.is_agit', '=', 0)
    .orderBy('issue.number')
    .execute()
  return rows.map((row) => ({ number: row.number, branch: row.head_branch }))
}

/** An open pull request whose head branch was pushed. */
export interface PushedPull {
  readonly id: PullId
  readonly number: number
  readonly baseRepoId: RepoId
  readonly branch: string
}

/** The open pull requests from these branches into any repository, the oldest first; none for over 500 branches. */
export async function listPushedPulls(db: Db, repoId: RepoId, branches: readonly string[]): Promise<PushedPull[]> {
  if (!canLookUp(branches)) return []
  const rows = await openPullsFrom(db, repoId, branches)
    .select(['pull.id', 'issue.number', 'pull.base_repo_id', 'pull.head_branch'])
    .where('pull.is_agit', '=', 0)
    .orderBy('pull.id')
    .execute()
  return rows.map((row) => ({
    id: asId(row.id),
    number: row.number,
    baseRepoId: asId(row.base_repo_id),
    branch: row.head_branch,
  }))
}
