import type { Db, Tx } from '../../../../core/db/database.ts'
import { selectPage } from '../../../../core/db/page.ts'
import type { RepoId } from '../../../../core/platform/crypto/ids.ts'
import type { Page, Paging } from '../../../../core/platform/paging.ts'

/** Flags ordered by name. */
export async function listRepoFlags(db: Db, repoId: RepoId, paging: Paging): Promise<Page<string>> {
  const query = db.selectFrom('repo_flag').where('repo_id', '=', repoId)
  return selectPage(query.select('name').orderBy('name'), paging, (row) => row.name)
}

export async function hasRepoFlag(db: Db, repoId: RepoId, name: string): Promise<boolean> {
  return (
    (await db
      .selectFrom('repo_flag')
      .select('name')
      .where('repo_id', '=', repoId)
      .where('name', '=', name)
      .executeTakeFirst()) !== undefined
  )
}

/** Ignores flags that the repository has already. */
export async function insertRepoFlags(tx: Tx, repoId: RepoId, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await tx
    .insertInto('repo_flag')
    .values(names.map((name) => ({ repo_id: repoId, name })))
    .onConflict((conflict) => conflict.columns(['repo_id', 'name']).doNothing())
    .execute()
}

/** Deletes the flag, or all flags if no name is given. */
export async function deleteRepoFlags(tx: Tx, repoId: RepoId, name?: string): Promise<void> {
  await tx
    .deleteFrom('repo_flag')
    .where('repo_id', '=', repoId)
    .$if(name !== undefined, (query) => query.where('name', '=', name!))
    .execute()
}
