import type { Db } from '../../../db/database.ts'
import type { RepoId } from '../../../platform/crypto/ids.ts'

/** File names of the workflows of a repository that are disabled. */
export async function listDisabledWorkflows(db: Db, repoId: RepoId): Promise<readonly string[]> {
  const row = await db
    .selectFrom('action_repo')
    .select('disabled_workflows')
    .where('repo_id', '=', repoId)
    .executeTakeFirst()
  return row === undefined ? [] : (JSON.parse(row.disabled_workflows) as string[])
}
