import type { Db } from '../../../db/database.ts'
import type { BranchOf } from './pull.store.ts'

/** The tips of branches, by `tipKey`. Branches that do not exist are absent. */
export type BranchTips = ReadonlyMap<string, string>

export const tipKey = ({ repoId, branch }: BranchOf): string => `${repoId} ${branch}`

/** The tips of these branches as the last recorded push left them; one query. */
export async function loadBranchTips(db: Db, branches: readonly BranchOf[]): Promise<BranchTips> {
  const wanted = [...new Map(branches.map((branch) => [tipKey(branch), branch])).values()]
  if (wanted.length === 0) return new Map()
  const rows = await db
    .selectFrom('branch')
    .select(['repo_id', 'name', 'oid'])
    .where((eb) =>
      eb.or(wanted.map(({ repoId, branch }) => eb.and([eb('repo_id', '=', repoId), eb('name', '=', branch)]))),
    )
    .execute()
  return new Map(rows.map((row) => [`${row.repo_id} ${row.name}`, row.oid]))
}
