import type { Db } from '../../../../core/db/database.ts'
import { asId, type IssueId, type PullId, type RepoId, type UserId } from '../../../../core/platform/crypto/ids.ts'
import { pullHeadRef } from '../pull.policy.ts'
import { type BranchOf, type Pull, toPull } from './pull.store.ts'
import { defineQuery } from '../../../../core/db/prepared-statement.ts'
import { type Issue, issueQueries } from '../../../issues/index.ts'

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
  /** The head branch if it is in the same repository. */
  readonly branch: string | undefined
}

/** The expected head refs of a repository, by number. */
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

export interface NumberedPull {
  readonly pull: Pull
  readonly number: number
}

/** A ref of a repository, by its full name. */
export interface RefOf {
  readonly repoId: RepoId
  readonly ref: string
}

/**
 * Pull requests of these repositories whose number a `refs/pull/` ref names, and the open ones whose head is a branch
 * of their own repository, by id. A page of refs of several repositories may select a pull request of another of them.
 */
export async function listPullsOfRefs(db: Db, refs: readonly RefOf[]): Promise<NumberedPull[]> {
  const numbers = refs.flatMap(({ ref }) => Number(/^refs\/pull\/(\d{1,15})\//.exec(ref)?.[1] ?? []))
  const branches = refs.flatMap(({ ref }) => (ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : []))
  const repoIds = [...new Set(refs.map(({ repoId }) => repoId))]
  const pulls = db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .selectAll('pull')
    .select('issue.number')
  const named = pulls.where('issue.repo_id', 'in', repoIds).where('issue.number', 'in', [...new Set(numbers)])
  const fromBranches = pulls
    .where('pull.head_repo_id', 'in', repoIds)
    .where('pull.is_closed', '=', 0)
    .where('pull.head_branch', 'in', [...new Set(branches)])
    .where('pull.base_repo_id', '=', (eb) => eb.ref('pull.head_repo_id'))
  const rows = await Promise.all([
    numbers.length === 0 ? [] : named.execute(),
    branches.length === 0 ? [] : fromBranches.execute(),
  ])
  const byId = new Map(rows.flat().map((row) => [row.id, { pull: toPull(row), number: row.number }]))
  return [...byId.values()].sort((a, b) => a.pull.id - b.pull.id)
}

/** The maximum number of branches in one query; a job moves the refs of larger pushes. */
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
 * The open pull requests from these branches into the same repository, oldest first; none for more than 500 branches.
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

/** The open pull requests from these branches into any repository, oldest first; none for more than 500 branches. */
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

/** The tips of branches, by `tipKey`; absent for missing branches. */
export type BranchTips = ReadonlyMap<string, string>

export const tipKey = ({ repoId, branch }: BranchOf): string => `${repoId} ${branch}`

/** The tips of these branches after the last recorded push; one query. */
export async function loadBranchTips(db: Db, branches: readonly BranchOf[]): Promise<BranchTips> {
  if (branches.length === 0) return new Map()
  const names = new Set(branches.map(({ branch }) => branch))
  const repoIds = new Set(branches.map(({ repoId }) => repoId))
  // NOTE: also finds branches of other repositories that have one of the names.
  const rows = await tips(db, { repoIds: [...repoIds], names: [...names] })
  return new Map(rows.map((row) => [`${row.repo_id} ${row.name}`, row.oid]))
}

const tips = defineQuery((db, { repoIds, names }: { repoIds: readonly RepoId[]; names: readonly string[] }) =>
  db.selectFrom('branch').select(['repo_id', 'name', 'oid']).where('repo_id', 'in', repoIds).where('name', 'in', names),
)

/** The pull request with a number, and its issue; undefined for none, and for an issue. One query. */
export async function findPullByNumber(
  db: Db,
  repoId: RepoId,
  number: number,
): Promise<{ readonly issue: Issue; readonly pull: Pull } | undefined> {
  const [row] = await byNumber(db, { repoId, number })
  return row && { issue: issueQueries.toIssue(row), pull: toPull({ ...row, id: row.pull_id, issue_id: row.id }) }
}

/** NOTE: `is_closed` is the same in both tables. */
const byNumber = defineQuery((db, { repoId, number }: { repoId: RepoId; number: number }) =>
  db
    .selectFrom('issue')
    .innerJoin('pull', 'pull.issue_id', 'issue.id')
    .selectAll('issue')
    .select(['pull.id as pull_id', 'pull.base_repo_id', 'pull.base_branch', 'pull.head_repo_id', 'pull.head_branch'])
    .select(['pull.is_agit', 'pull.head_oid', 'pull.merge_base', 'pull.mergeability', 'pull.checked_base_oid'])
    .select(['pull.checked_head_oid', 'pull.conflicts', 'pull.is_draft', 'pull.allows_maintainer_edit'])
    .select(['pull.is_merged', 'pull.merged_oid', 'pull.merge_style', 'pull.merged_by_id', 'pull.merged_at'])
    .where('issue.repo_id', '=', repoId)
    .where('issue.number', '=', number),
)

const MAX_HEADS = 100

/** The newest hundred of a repository, or of one branch of it, that pull requests of other repositories have. */
export async function listMaintainedHeads(
  db: Db,
  repoId: RepoId,
  branch: string | undefined,
): Promise<{ readonly baseRepoId: RepoId; readonly authorId: UserId }[]> {
  const heads = db
    .selectFrom('pull')
    .innerJoin('issue', 'issue.id', 'pull.issue_id')
    .select(['pull.base_repo_id', 'issue.poster_id'])
    .where('pull.head_repo_id', '=', repoId)
    .where('pull.is_closed', '=', 0)
    .where('pull.base_repo_id', '!=', repoId)
    .where('pull.allows_maintainer_edit', '=', 1)
    .orderBy('pull.id', 'desc')
    .limit(MAX_HEADS)
  const rows = await (branch === undefined ? heads : heads.where('pull.head_branch', '=', branch)).execute()
  return rows.map((row) => ({
    baseRepoId: asId(row.base_repo_id),
    authorId: asId(row.poster_id),
  }))
}
