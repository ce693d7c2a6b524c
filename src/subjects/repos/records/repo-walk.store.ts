import type { Db } from '../../../db/database.ts'
import { asId, type RepoId } from '../../../platform/ids.ts'

export async function countRepos(db: Db): Promise<number> {
  return (
    await db
      .selectFrom('repo')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
  ).count
}

const CHUNK = 500

/** The id of every repository, oldest first, some at a time: those made meanwhile come too. */
export async function* walkRepoIds(db: Db): AsyncGenerator<RepoId> {
  for (let last = 0; ;) {
    const rows = await db.selectFrom('repo').select('id').where('id', '>', last).orderBy('id').limit(CHUNK).execute()
    for (const { id } of rows) yield asId(id)
    if (rows.length < CHUNK) return
    last = rows.at(-1)!.id
  }
}

/** Repositories that lost a branch or tag in a push of that time, epoch milliseconds. */
export async function listReposWithDeletedRefs(db: Db, from: number, to: number): Promise<RepoId[]> {
  const rows = await db
    .selectFrom('push')
    .select('repo_id')
    .distinct()
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .where('new_oid', 'in', ['0'.repeat(40), '0'.repeat(64)])
    .orderBy('repo_id')
    .execute()
  return rows.map((row) => asId(row.repo_id))
}
