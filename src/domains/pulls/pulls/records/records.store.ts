import type { Db } from '../../../../core/db/database.ts'
import { executePrepared } from '../../../../core/db/prepared-statement.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import { type BranchOf, type Pull, toPull } from './pull.store.ts'
import { type Issue, toIssue } from '../../../issues/index.ts'

/** The tips of branches, by `tipKey`. Branches that do not exist are absent. */
export type BranchTips = ReadonlyMap<string, string>

export const tipKey = ({ repoId, branch }: BranchOf): string => `${repoId} ${branch}`

/** The tips of these branches as the last recorded push left them; one query. */
export async function loadBranchTips(db: Db, branches: readonly BranchOf[]): Promise<BranchTips> {
  if (branches.length === 0) return new Map()
  const names = new Set(branches.map(({ branch }) => branch))
  const repoIds = new Set(branches.map(({ repoId }) => repoId))
  // NOTE: also finds branches of one repository that have the name of a wanted one of another.
  const rows = await executePrepared(db, tips, { repoIds: [...repoIds], names: [...names] })
  return new Map(rows.map((row) => [`${row.repo_id} ${row.name}`, row.oid]))
}

const tips = (db: Db, { repoIds, names }: { readonly repoIds: readonly RepoId[]; readonly names: readonly string[] }) =>
  db.selectFrom('branch').select(['repo_id', 'name', 'oid']).where('repo_id', 'in', repoIds).where('name', 'in', names)

/** The pull request of a number and its issue; undefined for none, and for an issue. One query. */
export async function findPullByNumber(
  db: Db,
  repoId: RepoId,
  number: number,
): Promise<{ readonly issue: Issue; readonly pull: Pull } | undefined> {
  const [row] = await executePrepared(db, byNumber, { repoId, number })
  return row && { issue: toIssue(row), pull: toPull({ ...row, id: row.pull_id, issue_id: row.id }) }
}

/** NOTE: `is_closed` is the same in both tables. */
const byNumber = (db: Db, { repoId, number }: { readonly repoId: RepoId; readonly number: number }) =>
  db
    .selectFrom('issue')
    .innerJoin('pull', 'pull.issue_id', 'issue.id')
    .selectAll('issue')
    .select(['pull.id as pull_id', 'pull.base_repo_id', 'pull.base_branch', 'pull.head_repo_id', 'pull.head_branch'])
    .select(['pull.is_agit', 'pull.head_oid', 'pull.merge_base', 'pull.mergeability', 'pull.checked_base_oid'])
    .select(['pull.checked_head_oid', 'pull.conflicts', 'pull.is_draft', 'pull.allows_maintainer_edit'])
    .select(['pull.is_merged', 'pull.merged_oid', 'pull.merge_style', 'pull.merged_by_id', 'pull.merged_at'])
    .where('issue.repo_id', '=', repoId)
    .where('issue.number', '=', number)
