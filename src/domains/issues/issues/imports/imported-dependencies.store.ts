import type { Tx } from '../../../../core/db/database.ts'
import type { Pair } from '../dependencies/dependency.store.ts'

/** Inserts at most a few hundred dependencies of an import; ignores those that exist, and the reverse of another one. */
export async function insertImportedDependencies(tx: Tx, pairs: readonly Pair[], at: number): Promise<void> {
  if (pairs.length === 0) return
  const reverse = await tx
    .selectFrom('issue_dependency')
    .select(['issue_id', 'depends_on_id'])
    .where('issue_id', 'in', [...new Set(pairs.map(({ blockerId }) => blockerId))])
    .execute()
  const known = new Set(reverse.map((row) => `${row.issue_id} ${row.depends_on_id}`))
  const added = pairs.filter(({ dependentId, blockerId }) => {
    if (dependentId === blockerId || known.has(`${blockerId} ${dependentId}`)) return false
    known.add(`${dependentId} ${blockerId}`)
    return true
  })
  if (added.length === 0) return
  await tx
    .insertInto('issue_dependency')
    .values(added.map((pair) => ({ issue_id: pair.dependentId, depends_on_id: pair.blockerId, created_at: at })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
