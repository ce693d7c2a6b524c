import type { Db } from '../../../../core/db/database.ts'
import { executePrepared } from '../../../../core/db/prepared-statement.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { BranchOf } from './pull.store.ts'

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
